// SPDX-License-Identifier: Apache-2.0
// The order in which arms (the forms of one problem that compete) are timed. Knows nothing of ranks
// or clocks, so that it can be tested with invented times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace weft::tune {

/// Times one iteration of `arm` in seconds: the maximum over the ranks, hence the same number on
/// every rank. Ranks call it in the same order.
using TimeArm = std::function<double(std::size_t arm)>;

/// Median and range of some samples, in the samples' unit. All 0 when there are none.
struct Spread {
  double median = 0, min = 0, max = 0;
  friend bool operator==(const Spread&, const Spread&) = default;
};
Spread spread(std::span<const double> samples);

/// Samples of two arms in A B B A blocks.
struct PairTimes {
  std::vector<double> a, b;    ///< two a block
  std::vector<double> ratios;  ///< one a block: (b1 + b2) / (a1 + a2)
};

/// Runs up to `pairs` blocks. `go_on(done)` is asked after each block with the number done; false
/// stops, and must be the same on all ranks.
PairTimes run_pairs(const TimeArm& time, std::size_t a, std::size_t b, std::int32_t pairs,
                    const std::function<bool(std::int32_t done)>& go_on);

/// What screening found out about each arm.
struct Screening {
  std::vector<std::vector<double>> samples;  ///< [arm][round]; shorter for arms that were cut
  /// The arm of `team` with the smallest median, of those that were never cut.
  [[nodiscard]] std::size_t best(std::span<const int> teams, int team) const;
};

/// Which arms of a team go on after the first round.
struct Cut {
  double slower = 1.15;  ///< not those that are more than this many times slower than the fastest
  std::size_t keep = 4;  ///< at most so many, the fastest ones
};

/// Times all arms once a round, each round starting with another arm and every second one going
/// backwards. Arms that the cut leaves out after the first round are not timed again.
/// @param teams   one number an arm: only arms of the same team are compared
/// @param before  called before each sample with (samples done, samples still planned in all)
Screening screen(const TimeArm& time, std::span<const int> teams, std::int32_t rounds,
                 const Cut& cut,
                 const std::function<void(std::size_t done, std::size_t total)>& before);

}  // namespace weft::tune
