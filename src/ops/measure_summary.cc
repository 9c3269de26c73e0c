// SPDX-License-Identifier: Apache-2.0
// From samples to numbers, and from numbers to a database entry.
#include <algorithm>
#include <string>

#include "core/message.hpp"
#include "ops/measure.hpp"

namespace weft::ops {
namespace {

/// The largest power of two up to 16 that divides `extent`: vector lengths, hence the code that a
/// neighbour would run.
std::int64_t lanes(std::int64_t extent) {
  constexpr std::int64_t kMost = 16;
  return std::min(kMost, extent & -extent);
}

}  // namespace

Measurement summarize(const MeasureSamples& s) {
  Measurement m;
  m.t_gemm = tune::spread(s.gemm);
  m.t_gather = tune::spread(s.gather);
  m.t_unfused = tune::spread(s.pairs.b);
  m.t_fused = tune::spread(s.pairs.a);
  m.pairs = static_cast<std::int32_t>(s.pairs.ratios.size());
  m.floor_pairs = static_cast<std::int32_t>(s.floor_ratios.size());
  if (m.floor_pairs > 0) m.noise_floor = tune::noise_floor(s.floor_ratios);
  const double ideal = std::max(m.t_gather.median, m.t_gemm.median);
  if (ideal > 0) m.bound = m.t_unfused.median / ideal;
  if (m.pairs == 0) return m;
  m.speedup = tune::median(s.pairs.ratios);
  if (const int rank = tune::fixed_n_rank(m.pairs); rank > 0) {
    m.bounds = tune::order_bounds(s.pairs.ratios, rank);
  }
  m.lag1 = tune::lag1_correlation(s.pairs.ratios);
  m.bound_share = ideal / m.t_fused.median;
  const double exposed = m.t_unfused.median - m.t_gemm.median;
  if (exposed >= 2 * m.noise_floor * m.t_unfused.median && exposed > 0) {
    m.overlap_efficiency = 1 - (m.t_fused.median - m.t_gemm.median) / exposed;
  }
  return m;
}

Entry to_entry(const Measurement& m, std::string_view tuned_at) {
  WEFT_ASSERT(m.config.has_value());
  constexpr double kMicro = 1e6;
  Entry e;
  e.m = m.problem.m;
  e.n = m.problem.n;
  e.k = m.problem.k;
  e.config = *m.config;
  const bool confirmed =
      m.pairs >= kFreshPairs && m.bounds.lo > 0 && m.lag1 <= tune::kMaxLag1Correlation;
  e.stage = confirmed && m.correct ? EntryStage::kConfirmed : EntryStage::kScreened;
  e.status = !m.correct         ? EntryStatus::kBroken
             : m.bounds.lo <= 0 ? EntryStatus::kUnmeasured
                                : tune::verdict(m.speedup, m.bounds, m.noise_floor);
  e.speedup = m.speedup;
  e.speedup_lo = m.bounds.lo;
  e.speedup_hi = m.bounds.hi;
  e.pairs = m.pairs;
  e.t_fused_us = m.t_fused.median * kMicro;
  e.t_unfused_us = m.t_unfused.median * kMicro;
  e.noise_floor = m.noise_floor;
  e.max_rel_err = m.max_rel_err;
  e.unfused_form = to_string(m.unfused_form);
  e.divisible = {lanes(e.m), lanes(e.n), lanes(e.k)};
  e.needs_workspace_bytes = m.workspace_bytes;
  e.tuned_at = tuned_at;
  return e;
}

}  // namespace weft::ops
