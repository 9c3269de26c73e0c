// SPDX-License-Identifier: Apache-2.0
// What paired measurements say. The only copy of these rules; all of them are exact for independent
// pairs, whatever the distribution, since they count signs only (the sign test's interval).
//
// The median of n independent values lies below the r-th smallest with probability
// P(Binomial(n, 1/2) < r), and above the r-th largest with the same.
#pragma once

#include <cstdint>
#include <span>

#include "weft/database.hpp"

namespace weft::tune {

/// Middle value, or the mean of the two middle ones. `values` need not be sorted.
/// @throws Error kInternal if empty
double median(std::span<const double> values);

/// A two-sided interval.
struct Bounds {
  double lo = 0, hi = 0;
};

/// The `rank`-th smallest and the `rank`-th largest value, rank in [1, (n + 1) / 2].
/// @throws Error kInternal outside that range
Bounds order_bounds(std::span<const double> values, int rank);

/// P(Binomial(n, 1/2) < rank): the chance that one bound of order_bounds misses the true median.
double one_sided_error(int n, int rank);

/// Rank for a test with one look at n pairs: the highest whose one-sided error is at most 5 %.
/// 3 of 11, 7 of 21, 11 of 31; 0 for any other n.
int fixed_n_rank(int n);

/// Rank for a certification that may look three times: 2 of 11, 6 of 21, 10 of 31 (one-sided errors
/// sum to 3.4 %); 0 for any other n.
int sequential_rank(int n);

/// Speedup of one A B B A block, A fused and B unfused: (b1 + b2) / (a1 + a2).
double pair_ratio(double a1, double b1, double b2, double a2);

/// Lag-1 autocorrelation of the ratios' logarithms, in [-1, 1]; 0 when they do not vary. Above
/// kMaxLag1Correlation the pairs are not independent, and the intervals above mean nothing.
double lag1_correlation(std::span<const double> ratios);
inline constexpr double kMaxLag1Correlation = 0.3;

/// Half-width of the two-sided 95 % interval of the median of A/A ratios (the same code on both
/// sides); made for 21 of them. Fewer than 6 have no such interval: half their range then.
double noise_floor(std::span<const double> aa_ratios);

/// A win's lower bound must exceed this; so must a selected entry's.
inline constexpr double kWinBound = 1.01;

/// kWin: median - 1 > 2 * noise_floor and bounds.lo > kWinBound. kLose: bounds.hi < 1. Else kTie.
EntryStatus verdict(double median, Bounds bounds, double noise_floor);

}  // namespace weft::tune
