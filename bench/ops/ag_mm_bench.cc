// SPDX-License-Identifier: Apache-2.0
// The speed that weft promises on a CPU, line by line, against the required and the aimed-at ratio.
// Writes a result file. A line below its requirement ends the program with 1.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/cpu/micro_kernel.hpp"
#include "onednn_bf16.hpp"
#include "ops/cpu_call.hpp"
#include "ops/machine.hpp"
#include "ops/measure.hpp"
#include "ops/operands.hpp"
#include "ops/results.hpp"
#include "tune/space.hpp"
#include "weft/weft.hpp"

namespace weft::bench {
namespace {

constexpr double kLargestFloor = 0.05;  // a noisier run is repeated
constexpr int kMaxRepeats = 3;

/// What the fused form competes with.
enum class Rival {
  kProduct,    ///< one call of the micro-kernel, A already gathered
  kUnfused,    ///< the strongest of the three unfused forms
  kSelected,   ///< as kUnfused, but what runs is what selection would choose from the measurement
  kOnednnBf16  ///< oneDNN's bf16 primitive
};

struct Line {
  const char* name;
  Problem problem;
  Rival rival;
  double required, goal;
};

Problem problem(std::int64_t m, std::int64_t n, std::int64_t k, std::int32_t world_size,
                DType dtype = DType::kF32) {
  return {.m = m, .n = n, .k = k, .world_size = world_size, .dtype = dtype};
}

std::vector<Line> lines() {
  return {
      {"direct/blas", problem(2048, 2048, 2048, 1), Rival::kProduct, 0.97, 1.0},
      {"direct/blas", problem(4096, 512, 4096, 1), Rival::kProduct, 0.97, 1.0},
      {"direct/unfused", problem(8192, 128, 4096, 2), Rival::kUnfused, 1.30, 1.40},
      {"direct/unfused", problem(16384, 32, 2048, 2), Rival::kUnfused, 2.2, 2.4},
      {"direct/unfused", problem(512, 256, 16384, 2), Rival::kUnfused, 1.12, 1.20},
      {"direct/unfused", problem(4096, 512, 4096, 2), Rival::kUnfused, 1.03, 1.08},
      {"selected/unfused", problem(2048, 1024, 2048, 2), Rival::kSelected, 0.98, 1.0},
      {"selected/unfused", problem(1024, 2048, 2048, 2), Rival::kSelected, 0.98, 1.0},
      {"selected/unfused", problem(256, 4096, 4096, 2), Rival::kSelected, 0.98, 1.0},
      {"bf16/onednn", problem(2048, 2048, 2048, 1, DType::kBf16), Rival::kOnednnBf16, 1.5, 1.7},
  };
}

struct Options {
  int runs = 3;
  std::string only, json;
};

/// What one line came to.
struct Outcome {
  std::vector<ops::Measurement> runs;
  std::vector<double> ratios;
  std::string note;
};

std::vector<FusedConfig> direct_candidates(const Problem& p) {
  std::vector<FusedConfig> all = tune::cpu_candidates(p, detect_cpu(1));
  std::erase_if(all, [](const FusedConfig& c) { return c.variant != Variant::kDirect; });
  return all;
}

/// Repeats a run whose A/A floor is too high to tell anything.
ops::Measurement quiet_measure(World& world, const Problem& p, const ops::MeasureOptions& options,
                               std::string& note) {
  ops::Measurement m = ops::measure(world, p, options);
  for (int i = 0; i < kMaxRepeats && m.noise_floor > kLargestFloor; ++i) {
    note += fmt::format("repeated (A/A floor {:.1f} %); ", m.noise_floor * 100);
    m = ops::measure(world, p, options);
  }
  return m;
}

void measure_fused(const Line& line, Outcome& outcome) {
  World world = World::local(line.problem.world_size, 1);
  ops::MeasureOptions options;
  options.candidates = direct_candidates(line.problem);
  options.against_product = line.rival == Rival::kProduct;
  const ops::Measurement m = quiet_measure(world, line.problem, options, outcome.note);
  outcome.runs.push_back(m);
  outcome.ratios.push_back(m.speedup);
}

/// Measures as `weft bench --record` does; what it would select is then measured afresh.
void measure_selected(const Line& line, Outcome& outcome) {
  World world = World::local(line.problem.world_size, 1);
  ops::MeasureOptions options;
  options.candidates = tune::cpu_candidates(line.problem, detect_cpu(1));
  ops::Measurement m = quiet_measure(world, line.problem, options, outcome.note);
  const Entry entry = ops::to_entry(m, ops::utc_now());
  const bool fused = entry.stage == EntryStage::kConfirmed && entry.status == EntryStatus::kWin;
  outcome.note += fused ? "selects fused; " : "selects unfused; ";
  if (fused) {
    options.candidates = {entry.config};
    m = quiet_measure(world, line.problem, options, outcome.note);
  }
  outcome.runs.push_back(m);
  outcome.ratios.push_back(fused ? m.speedup : 1.0);  // unfused is its own rival
}

double seconds_of(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void measure_bf16(const Line& line, Outcome& outcome) {
  const Problem& p = line.problem;
  OnednnBf16 onednn(p.m, p.n, p.k);
  outcome.note = "oneDNN: " + onednn.name() + "; ";
  if (!onednn.available()) return;
  // Our best configuration, then pairs against the primitive.
  World world = World::local(1, 1);
  ops::MeasureOptions options;
  options.candidates = direct_candidates(p);
  ops::Measurement m = quiet_measure(world, p, options, outcome.note);
  ops::MeasureSamples samples;
  ops::Operands operands(
      p, ops::num_operand_sets(ops::Operands::set_bytes(p), ops::last_level_cache_bytes(),
                               ops::available_memory_bytes() / 4));
  world.run([&](Rank& rank) {
    operands.allocate(0);
    ops::CpuFused ours(rank.endpoint(), p, m.config.value(), nullptr);
    std::int64_t call = 0;
    const tune::TimeArm time = [&](std::size_t arm) {
      const RunArgs args = operands.args(0, call++);
      if (arm == 0) return seconds_of([&] { ours.run(args); });
      return seconds_of([&] { onednn.run(args.a_shard, args.b, args.c); });
    };
    time(0);
    time(1);
    samples.pairs =
        tune::run_pairs(time, 0, 1, ops::kFreshPairs, [](std::int32_t) { return true; });
  });
  const ops::Measurement paired = ops::summarize(samples);
  m.t_fused = paired.t_fused;
  m.t_unfused = paired.t_unfused;
  m.pairs = paired.pairs;
  m.speedup = paired.speedup;
  m.bounds = paired.bounds;
  m.bound = m.bound_share = 0;  // those were against the unfused form
  m.overlap_efficiency.reset();
  outcome.runs.push_back(m);
  outcome.ratios.push_back(m.speedup);
}

Outcome measure_line(const Line& line, int runs) {
  Outcome outcome;
  for (int run = 0; run < runs; ++run) {
    switch (line.rival) {
      case Rival::kProduct:
      case Rival::kUnfused: measure_fused(line, outcome); break;
      case Rival::kSelected: measure_selected(line, outcome); break;
      case Rival::kOnednnBf16: measure_bf16(line, outcome); break;
    }
  }
  return outcome;
}

/// The run whose ratio is the (lower) median.
std::size_t median_run(const std::vector<double>& ratios) {
  std::vector<std::size_t> order(ratios.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ratios[a] < ratios[b]; });
  return order[(order.size() - 1) / 2];
}

const char* verdict(const Line& line, double ratio) {
  return ratio < line.required ? "BELOW" : ratio < line.goal ? "required" : "goal";
}

int run_lines(const Options& options, const std::string& command) {
  if (cpu::micro_kernel_is_generic()) {
    fmt::print(stderr, "the micro-kernel is {}, a generic one: any gain would be false\n",
               cpu::micro_kernel_name());
    return 3;
  }
  const Arch arch = detect_cpu(1);
  fmt::print("micro-kernel {}, {}, {} cores; medians over {} runs\n", cpu::micro_kernel_name(),
             arch.device(), ops::num_usable_cores(), options.runs);
  fmt::print("{:<17} {:<32} {:>6} {:>6} {:>8}  {:<9} {}\n", "line", "problem", "needed", "goal",
             "ratio", "verdict", "each run [95 %], floor, candidate");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::string note = "micro-kernel " + cpu::micro_kernel_name();
  int missed = 0, measured = 0;
  for (const Line& line : lines()) {
    const std::string shape = to_string(line.problem);
    if (fmt::format("{} {}", line.name, shape).find(options.only) == std::string::npos) continue;
    ++measured;
    const Outcome o = measure_line(line, options.runs);
    if (o.runs.empty()) {
      fmt::print("{:<17} {:<32} {:>6} {:>6} {:>8}  {:<9} {}\n", line.name, shape, line.required,
                 line.goal, "-", "skipped", o.note);
      note += fmt::format("; {} {} skipped: {}", line.name, shape, o.note);
      continue;
    }
    const std::size_t median = median_run(o.ratios);
    const double ratio = o.ratios[median];
    std::string runs;
    for (const ops::Measurement& m : o.runs) {
      runs += fmt::format("{:.3f} [{:.3f} {:.3f}] {:.1f} %; ", m.speedup, m.bounds.lo, m.bounds.hi,
                          m.noise_floor * 100);
      rows.push_back(ops::results_row(line.name, m, default_link(arch)));
    }
    const FusedConfig& config = o.runs[median].config.value();
    runs += fmt::format("{}x{}x{} against {}; {}", config.tile_m, config.tile_n, config.tile_k,
                        to_string(o.runs[median].unfused_form), o.note);
    fmt::print("{:<17} {:<32} {:>6} {:>6} {:>8.3f}  {:<9} {}\n", line.name, shape, line.required,
               line.goal, ratio, verdict(line, ratio), runs);
    std::fflush(stdout);
    note += fmt::format("; {} {}: {:.3f} ({}; {} required, {} goal) {}", line.name, shape, ratio,
                        verdict(line, ratio), line.required, line.goal, o.note);
    if (ratio < line.required) ++missed;
  }
  if (measured == 0) {
    fmt::print(stderr, "no line holds '{}'; run without --only to see them all\n", options.only);
    return 2;
  }
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << nlohmann::ordered_json{{"meta", ops::results_meta(command, arch, note)}, {"rows", rows}}
                .dump(1)
         << "\n";
    if (!file.flush()) {
      fmt::print(stderr, "'{}' cannot be written; choose another --json\n", options.json);
      return 3;
    }
  }
  return missed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  CLI::App app("Measures the speed that weft promises on a CPU.");
  weft::bench::Options options;
  app.add_option("--runs", options.runs, "Runs a line; the median counts")
      ->check(CLI::Range(1, 99))
      ->capture_default_str();
  app.add_option("--only", options.only, "Only lines whose name and problem hold this text [all]");
  app.add_option("--json", options.json, "Write a result file [none]");
  CLI11_PARSE(app, argc, argv);
  std::string command = "weft_bench";
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  try {
    return weft::bench::run_lines(options, command);
  } catch (const weft::Error& error) {
    fmt::print(stderr, "weft_bench: {}\n", error.what());
    return 3;
  }
}
