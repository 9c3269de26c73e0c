// SPDX-License-Identifier: Apache-2.0
#include "bench_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common.hpp"
#include "ops/results.hpp"
#include "tune/statistics.hpp"

namespace weft::cli {
namespace {

constexpr double kLargestFloor = 0.05;  // above it a ratio is worth repeating

/// "12.3 [11.9 13.0]" in milliseconds; only the median when it came from an entry.
std::string millis(const tune::Spread& seconds) {
  if (seconds.median == 0) return "-";
  // Four significant digits, whatever the size.
  const auto text = [&](double s) {
    const double ms = s * 1e3;
    const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(ms))), 0, 6);
    return fmt::format("{:.{}f}", ms, digits);
  };
  if (seconds.max == 0) return text(seconds.median);
  return fmt::format("{} [{} {}]", text(seconds.median), text(seconds.min), text(seconds.max));
}

std::string speedup_text(const BenchRow& row, bool oversubscribed) {
  const ops::Measurement& m = row.measured;
  if (m.pairs == 0) return "-";
  std::string text =
      m.bounds.lo > 0 ? fmt::format("{:.3f} [{:.3f} {:.3f}]", m.speedup, m.bounds.lo, m.bounds.hi)
                      : fmt::format("{:.3f} ({} pairs)", m.speedup, m.pairs);
  if (oversubscribed) text += " oversubscribed";
  return text;
}

/// The variant that runs, with its tile.
std::string chosen_text(const Selection& s) {
  if (!s.config) return std::string(to_string(s.variant));
  std::string text = fmt::format("{} {}x{}x{}", to_string(s.variant), s.config->tile_m,
                                 s.config->tile_n, s.config->tile_k);
  if (s.variant == Variant::kStaged) text += fmt::format(" /{}", s.config->num_fetch_stages);
  return text;
}

bool is_fused(const BenchRow& row) { return row.selection.variant != Variant::kUnfused; }

/// Sentences about single rows.
std::vector<std::string> row_notes(const std::vector<BenchRow>& rows) {
  std::vector<std::string> notes;
  for (const BenchRow& row : rows) {
    const ops::Measurement& m = row.measured;
    if (!row.note.empty()) notes.push_back(fmt::format("{}: {}", row.name, row.note));
    if (row.stored) {
      notes.push_back(
          fmt::format("{}: recorded before, not measured again (--force does)", row.name));
    }
    if (!m.correct) {
      notes.push_back(
          fmt::format("{}: WRONG RESULT of {}, beyond what rounding explains; please "
                      "report this",
                      row.name, m.config ? to_string(*m.config) : std::string("unfused")));
    }
    if (m.noise_floor > kLargestFloor) {
      notes.push_back(fmt::format("{}: the noise floor is {:.1f} %; repeat this on a quiet machine",
                                  row.name, m.noise_floor * 100));
    }
    if (m.lag1 > tune::kMaxLag1Correlation) {
      notes.push_back(
          fmt::format("{}: neighbouring pairs correlate ({:.2f}), so this stays "
                      "screened",
                      row.name, m.lag1));
    }
    if (m.config && !is_fused(row)) {
      notes.push_back(fmt::format("{}: T_fused is that of {}, which is not chosen", row.name,
                                  to_string(*m.config)));
    }
  }
  return notes;
}

const BenchRow* best_fused(const std::vector<BenchRow>& rows) {
  const BenchRow* best = nullptr;
  for (const BenchRow& row : rows) {
    if (!is_fused(row) || row.measured.pairs == 0) continue;
    if (best == nullptr || row.measured.speedup > best->measured.speedup) best = &row;
  }
  return best;
}

std::string evidence_text(const BenchRun& run) {
  if (run.files.empty()) return fmt::format("Nothing was written to {}.", run.root);
  std::string text = run.record ? "" : "Nothing was written. ";
  text += fmt::format("The evidence is in {}", run.root);
  std::string undo = "rm";
  for (const std::string& file : run.files) {
    text += (file == run.files.front() ? ": " : ", ") + file;
    undo += fmt::format(" '{}/{}'", run.root, file);
  }
  return fmt::format("{}; to undo it: {}", text, undo);
}

}  // namespace

std::string bench_header(const BenchRun& run) {
  std::string text = fmt::format(
      "{}\n{} over {}, {} ranks of {} threads on {} cores, micro-kernel {}\n", run.what, run.device,
      run.link, run.world_size, run.threads_per_rank, run.cores, run.micro_kernel);
  if (run.oversubscribed()) {
    text += fmt::format("oversubscribed: {} threads share {} cores, so the ratios say little\n",
                        run.world_size * run.threads_per_rank, run.cores);
  }
  return text;
}

std::string bench_table(const BenchRun& run, const std::vector<BenchRow>& rows) {
  Table table({"layer", "M", "N", "K", "shard_dim", "dtype", "variant", "source", "reason",
               "T_gemm ms", "T_gather ms", "T_unfused ms", "T_fused ms", "speedup [95 %]",
               "bound share", "noise", "max rel err"});
  for (const BenchRow& row : rows) {
    const ops::Measurement& m = row.measured;
    const Problem& p = m.problem;
    table.add({row.name, fmt::to_string(p.m), fmt::to_string(p.n), fmt::to_string(p.k),
               std::string(to_string(p.shard_dim)), std::string(to_string(p.dtype)),
               chosen_text(row.selection), std::string(to_string(row.selection.source)),
               row.selection.reason, millis(m.t_gemm), millis(m.t_gather), millis(m.t_unfused),
               millis(m.t_fused), speedup_text(row, run.oversubscribed()),
               m.bound_share > 0 ? fmt::format("{:.2f}", m.bound_share) : "-",
               m.noise_floor > 0 ? fmt::format("{:.1f} %", m.noise_floor * 100) : "-",
               std::isnan(m.max_rel_err) ? "-" : fmt::format("{:.1e}", m.max_rel_err)});
  }
  std::string text = table.text();
  for (const std::string& note : row_notes(rows)) text += "  " + note + "\n";
  return text;
}

std::string bench_summary(const BenchRun& run, const std::vector<BenchRow>& rows) {
  const auto fused = std::count_if(rows.begin(), rows.end(), is_fused);
  std::string text = fmt::format("{} of {} {} chose fused", fused, rows.size(),
                                 rows.size() == 1 ? "problem" : "layers");
  if (const BenchRow* best = best_fused(rows)) {
    text += fmt::format(", the best gain is {:.2f}x ({}, N = {})", best->measured.speedup,
                        best->name, best->measured.problem.n);
  }
  text +=
      ". At N >= 1024 a CPU has about nothing to hide, since the gather is short beside the "
      "product; layers of small N (k and v apart) show a gain if there is one. ";
  return text + evidence_text(run) + "\n";
}

nlohmann::ordered_json bench_json(const BenchRun& run, const std::vector<BenchRow>& rows,
                                  std::string_view command, const Arch& arch) {
  std::string note = fmt::format("{}; {} ranks of {} threads on {} cores", run.what, run.world_size,
                                 run.threads_per_rank, run.cores);
  if (run.oversubscribed()) note += "; oversubscribed";
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BenchRow& row : rows) {
    const std::string bench = row.name == "-" ? "weft bench" : "weft bench " + row.name;
    list.push_back(ops::results_row(bench, row.measured, run.link));
    note += fmt::format("; {}: chosen {} ({}, {}), noise floor {:.4f}", row.name,
                        to_string(row.selection.variant), to_string(row.selection.source),
                        row.selection.reason, row.measured.noise_floor);
  }
  for (const std::string& text : row_notes(rows)) note += "; " + text;
  return {{"meta", ops::results_meta(command, arch, note)}, {"rows", list}};
}

}  // namespace weft::cli
