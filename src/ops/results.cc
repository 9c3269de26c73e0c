// SPDX-License-Identifier: Apache-2.0
#include "ops/results.hpp"

#include <cmath>

#include "config/fused_config_json.hpp"
#include "ops/machine.hpp"
#include "weft/version.hpp"

namespace weft::ops {
namespace {

using nlohmann::ordered_json;

/// Null for what was not measured; else rounded to what a clock can tell, so that files are short.
ordered_json number(double value, double digits) {
  if (value == 0 || !std::isfinite(value)) return nullptr;
  return std::round(value * digits) / digits;
}

ordered_json micros(const tune::Spread& seconds) { return number(seconds.median * 1e6, 1e3); }
ordered_json ratio(double value) { return number(value, 1e4); }

}  // namespace

ordered_json results_meta(std::string_view command, const Arch& arch, std::string_view note) {
  const Environment environment = current_environment();
  const BuildInfo build = build_info();
  return {{"command", command},
          {"device", arch.device()},
          {"driver", environment.driver},
          {"toolkit", build.compiler + ", " + build.micro_kernel},
          {"library_commit", build.commit},
          {"date", utc_now()},
          {"clocks", clocks_text()},
          {"note", note}};
}

ordered_json results_row(std::string_view bench, const Measurement& m, std::string_view link) {
  const Problem& p = m.problem;
  ordered_json row{{"bench", bench},
                   {"m", p.m},
                   {"n", p.n},
                   {"k", p.k},
                   {"world_size", p.world_size},
                   {"shard_dim", to_string(p.shard_dim)},
                   {"layout", to_string(p.layout)},
                   {"dtype", to_string(p.dtype)},
                   {"link", link},
                   {"variant", to_string(m.config ? m.config->variant : Variant::kUnfused)},
                   {"config", m.config ? ordered_json(config::to_json(*m.config)) : nullptr},
                   {"t_gemm_us", micros(m.t_gemm)},
                   {"t_gather_us", micros(m.t_gather)},
                   {"t_unfused_us", micros(m.t_unfused)},
                   {"t_fused_us", micros(m.t_fused)},
                   {"pairs", m.pairs},
                   {"speedup", ratio(m.speedup)},
                   {"speedup_lo", ratio(m.bounds.lo)},
                   {"speedup_hi", ratio(m.bounds.hi)},
                   {"bound", ratio(m.bound)},
                   {"bound_share", ratio(m.bound_share)}};
  row["overlap_efficiency"] =
      m.overlap_efficiency ? ordered_json(std::round(*m.overlap_efficiency * 1e4) / 1e4) : nullptr;
  const double flops =
      2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  row["tflops"] =
      m.t_fused.median > 0 ? number(flops / m.t_fused.median * 1e-12, 1e6) : ordered_json(nullptr);
  row["max_rel_err"] =
      std::isfinite(m.max_rel_err) ? ordered_json(m.max_rel_err) : ordered_json(nullptr);
  return row;
}

Measurement from_entry(const Problem& problem, const Entry& entry) {
  constexpr double kMicro = 1e-6;
  Measurement m;
  m.problem = problem;
  m.config = entry.config;
  if (!entry.unfused_form.empty()) m.unfused_form = parse_unfused_form(entry.unfused_form);
  m.t_unfused.median = entry.t_unfused_us * kMicro;
  m.t_fused.median = entry.t_fused_us * kMicro;
  m.pairs = entry.pairs;
  m.speedup = entry.speedup;
  m.bounds = {entry.speedup_lo, entry.speedup_hi};
  m.noise_floor = entry.noise_floor;
  m.max_rel_err = entry.max_rel_err;
  m.correct = entry.status != EntryStatus::kBroken;
  m.workspace_bytes = entry.needs_workspace_bytes;
  return m;
}

}  // namespace weft::ops
