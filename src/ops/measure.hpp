// SPDX-License-Identifier: Apache-2.0
// Measures one problem on the ranks of a World: the unfused forms, the fused candidates, and the
// best of each against each other. docs/performance.md defines every quantity.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "tune/statistics.hpp"
#include "tune/trial.hpp"
#include "weft/database.hpp"
#include "weft/plan.hpp"

namespace weft::ops {

/// Fresh pairs behind a confirmed entry.
inline constexpr std::int32_t kFreshPairs = 11;

/// Where a measurement stands.
struct MeasureProgress {
  /// "operands", "warm-up", "noise floor", "screening", "check", "pairs"; "unfused" in place of
  /// the last when nothing fused competes.
  std::string_view phase;
  std::int64_t done = 0, total = 0;  ///< samples or pairs of this phase
  double speedup = 0;                ///< best so far; 0: none yet
  double noise_floor = 0;            ///< 0: not yet known
};

struct MeasureOptions {
  /// Fused configurations that compete; each must pass `validate`. Empty: only the unfused forms
  /// are timed.
  std::vector<FusedConfig> candidates;
  std::int32_t rounds = 3;           ///< screening rounds, at least 1
  std::int32_t pairs = kFreshPairs;  ///< fresh pairs, at least 1
  double seconds = 30;               ///< fewer A/A pairs and no repetition beyond this
  bool stop_when_over = false;       ///< also stop in the middle of the pairs
  /// The rival in the pairs is the product alone, A already gathered, not the strongest unfused
  /// form: T_unfused is T_gemm then.
  bool against_product = false;
  std::function<void(const MeasureProgress&)> progress;  ///< called by rank 0; may be empty
};

/// Raw samples of one problem. Times in seconds, maximum over the ranks.
struct MeasureSamples {
  std::vector<double> floor_ratios;  ///< A/A pairs of an unfused form; empty without a fused one
  tune::PairTimes pairs;             ///< a: fused, b: unfused; without a fused one only b
  std::vector<double> gemm, gather;  ///< interleaved with the pairs
};

/// What was found out. Times in seconds.
struct Measurement {
  Problem problem;
  std::optional<FusedConfig> config;  ///< the best candidate; nothing: only unfused was timed
  UnfusedForm unfused_form = UnfusedForm::kStridedCopy;  ///< the strongest one
  std::int32_t candidates = 0;                           ///< fused ones that were screened
  tune::Spread t_gemm, t_gather, t_unfused, t_fused;
  std::int32_t pairs = 0;
  double speedup = 0;                 ///< median over the pairs; 0 without a fused form
  tune::Bounds bounds;                ///< of the speedup; 0 unless `pairs` has a fixed-n rank
  double bound = 0, bound_share = 0;  ///< T_unfused / max(T_gather, T_gemm), that / T_fused
  std::optional<double> overlap_efficiency;
  double noise_floor = 0;
  std::int32_t floor_pairs = 0;  ///< A/A pairs behind it
  double lag1 = 0;               ///< correlation of neighbouring pairs
  /// Against f64 on 16 rows, the worst of the ranks: of `config`, else of the unfused form.
  double max_rel_err = std::numeric_limits<double>::quiet_NaN();
  bool correct = true;               ///< every element was within its rounding bound
  std::int64_t workspace_bytes = 0;  ///< that `config` needs on each rank
};

/// The quantities that follow from the samples alone: all from `t_gemm` to `lag1`.
Measurement summarize(const MeasureSamples& samples);

/// Measures `problem` on all ranks: warm-up until the clock is steady (at least 150 ms); noise
/// floor; screening; the result of the best form against f64; fresh pairs, repeated once from
/// scratch when neighbouring pairs correlate. Operands are random and take turns over twice the
/// last-level cache.
/// @throws Error kInvalidArgument, kUnsupported for a problem the CPU backend cannot run;
///         kDeviceError when memory is short; kTimeout
Measurement measure(World& world, const Problem& problem, const MeasureOptions& options);

/// The database entry of a measurement with a fused form. Stage `confirmed` needs kFreshPairs pairs
/// that do not correlate; else `screened`. A wrong result is `broken`.
/// @param tuned_at  RFC 3339, UTC
Entry to_entry(const Measurement& measurement, std::string_view tuned_at);

}  // namespace weft::ops
