// SPDX-License-Identifier: Apache-2.0
#include "tune/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/message.hpp"

namespace weft::tune {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

/// Highest rank whose two-sided error is at most 5 %; at least 1.
int two_sided_rank(int n) {
  int rank = 1;
  while (2 * (rank + 1) <= n + 1 && 2 * one_sided_error(n, rank + 1) <= 0.05) ++rank;
  return rank;
}

}  // namespace

double median(std::span<const double> values) {
  WEFT_ASSERT(!values.empty());
  const std::vector<double> v = sorted(values);
  const std::size_t middle = v.size() / 2;
  return v.size() % 2 == 1 ? v[middle] : (v[middle - 1] + v[middle]) / 2;
}

Bounds order_bounds(std::span<const double> values, int rank) {
  WEFT_ASSERT(rank >= 1 && static_cast<std::size_t>(rank) <= (values.size() + 1) / 2);
  const std::vector<double> v = sorted(values);
  const auto r = static_cast<std::size_t>(rank);
  return {v[r - 1], v[v.size() - r]};
}

double one_sided_error(int n, int rank) {
  double term = std::ldexp(1.0, -n);  // n choose 0, over 2^n
  double sum = 0;
  for (int i = 0; i < rank; ++i) {
    sum += term;
    term *= static_cast<double>(n - i) / (i + 1);
  }
  return sum;
}

int fixed_n_rank(int n) {
  switch (n) {
    case 11: return 3;
    case 21: return 7;
    case 31: return 11;
    default: return 0;
  }
}

int sequential_rank(int n) {
  switch (n) {
    case 11: return 2;
    case 21: return 6;
    case 31: return 10;
    default: return 0;
  }
}

double pair_ratio(double a1, double b1, double b2, double a2) { return (b1 + b2) / (a1 + a2); }

double lag1_correlation(std::span<const double> ratios) {
  if (ratios.size() < 3) return 0;
  std::vector<double> x;
  x.reserve(ratios.size());
  double mean = 0;
  for (const double ratio : ratios) {
    x.push_back(std::log(ratio));
    mean += x.back() / static_cast<double>(ratios.size());
  }
  double variance = 0;
  double covariance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    variance += (x[i] - mean) * (x[i] - mean);
    if (i > 0) covariance += (x[i] - mean) * (x[i - 1] - mean);
  }
  // NOTE: equal ratios leave only rounding errors, whose correlation means nothing.
  constexpr double kRounding = 1e-24;
  return variance > kRounding * static_cast<double>(x.size()) ? covariance / variance : 0;
}

double noise_floor(std::span<const double> aa_ratios) {
  const Bounds bounds = order_bounds(aa_ratios, two_sided_rank(static_cast<int>(aa_ratios.size())));
  return (bounds.hi - bounds.lo) / 2;
}

EntryStatus verdict(double median, Bounds bounds, double noise_floor) {
  if (median - 1 > 2 * noise_floor && bounds.lo > kWinBound) return EntryStatus::kWin;
  return bounds.hi < 1 ? EntryStatus::kLose : EntryStatus::kTie;
}

}  // namespace weft::tune
