// SPDX-License-Identifier: Apache-2.0
#include "tune/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "weft/error.hpp"

namespace weft::tune {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
  EXPECT_THROW((void)median({}), Error);
}

TEST(Statistics, OrderBoundsAreTheRankThFromBothEnds) {
  const std::vector<double> values{11, 2, 9, 4, 7, 6, 5, 8, 3, 10, 1};
  const Bounds third = order_bounds(values, 3);
  EXPECT_EQ(third.lo, 3);
  EXPECT_EQ(third.hi, 9);
  EXPECT_EQ(order_bounds(values, 6).lo, 6);
  EXPECT_EQ(order_bounds(values, 6).hi, 6);
  EXPECT_THROW((void)order_bounds(values, 0), Error);
  EXPECT_THROW((void)order_bounds(values, 7), Error);
}

TEST(Statistics, RanksKeepTheErrorsThatWeClaim) {
  double sum = 0;
  for (const int n : {11, 21, 31}) {
    SCOPED_TRACE(n);
    EXPECT_LE(one_sided_error(n, fixed_n_rank(n)), 0.05);
    EXPECT_GT(one_sided_error(n, fixed_n_rank(n) + 1), 0.05) << "a higher rank would do";
    EXPECT_LE(2 * one_sided_error(n, sequential_rank(n)), 0.03);
    sum += one_sided_error(n, sequential_rank(n));
  }
  EXPECT_NEAR(sum, 0.034, 0.0005);
  EXPECT_EQ(fixed_n_rank(12), 0);
  EXPECT_EQ(sequential_rank(5), 0);
  EXPECT_DOUBLE_EQ(one_sided_error(5, 1), 1.0 / 32);
}

TEST(Statistics, PairRatioIsUnfusedOverFused) { EXPECT_DOUBLE_EQ(pair_ratio(1, 2, 4, 3), 1.5); }

TEST(Statistics, CorrelationSeesDriftAndAlternation) {
  std::vector<double> drift;
  std::vector<double> alternating;
  for (int i = 0; i < 31; ++i) {
    drift.push_back(1 + 0.01 * i);
    alternating.push_back(i % 2 == 0 ? 1.1 : 0.9);
  }
  EXPECT_GT(lag1_correlation(drift), 0.8);
  EXPECT_LT(lag1_correlation(alternating), -0.9);
  EXPECT_EQ(lag1_correlation(std::vector<double>(31, 1.05)), 0);
  EXPECT_EQ(lag1_correlation(std::vector<double>{1.1}), 0);
  // x = log ratio: -1, 0, 1, 0, mean 0, so the sums are (0 + 0 + 0) / 2.
  const std::vector<double> wave{std::exp(-1), 1, std::exp(1), 1};
  EXPECT_NEAR(lag1_correlation(wave), 0, 1e-12);
}

TEST(Statistics, NoiseFloorIsHalfTheIntervalOfTheMedian) {
  std::vector<double> ratios;
  for (int i = 0; i < 21; ++i) ratios.push_back(1 + 0.001 * (i - 10));
  // The 6th smallest and largest of 21 are 1 -/+ 0.005.
  EXPECT_NEAR(noise_floor(ratios), 0.005, 1e-12);
  EXPECT_NEAR(noise_floor(std::vector<double>{0.98, 1.0, 1.04}), 0.03, 1e-12);
}

TEST(Statistics, VerdictNeedsBoundAndNoiseMargin) {
  EXPECT_EQ(verdict(1.10, {1.05, 1.2}, 0.02), EntryStatus::kWin);
  EXPECT_EQ(verdict(1.10, {1.05, 1.2}, 0.06), EntryStatus::kTie);  // within two noise floors
  EXPECT_EQ(verdict(1.10, {1.01, 1.2}, 0.01), EntryStatus::kTie);  // the bound must exceed 1.01
  EXPECT_EQ(verdict(0.95, {0.90, 0.999}, 0.01), EntryStatus::kLose);
  EXPECT_EQ(verdict(0.95, {0.90, 1.0}, 0.01), EntryStatus::kTie);
}

/// Heavy-tailed noise around a true ratio of 1: what a shared machine gives.
double noisy_ratio(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const double scale = uniform(random) < 0.1 ? 0.3 : 0.03;
  return std::exp(scale * normal(random));
}

TEST(StatisticsSimulation, IntervalsCoverAsOftenAsClaimed) {
  constexpr int kTrials = 40'000;
  std::mt19937_64 random(1977);
  for (const int n : {11, 21, 31}) {
    int fixed_lo = 0;  // the lower bound lies above the true median: a false claim
    int sequential_miss = 0;
    std::vector<double> ratios(static_cast<std::size_t>(n));
    for (int trial = 0; trial < kTrials; ++trial) {
      std::generate(ratios.begin(), ratios.end(), [&] { return noisy_ratio(random); });
      fixed_lo += order_bounds(ratios, fixed_n_rank(n)).lo > 1 ? 1 : 0;
      const Bounds two_sided = order_bounds(ratios, sequential_rank(n));
      sequential_miss += two_sided.lo > 1 || two_sided.hi < 1 ? 1 : 0;
    }
    // Four standard deviations of a rate near 5 % over 40,000 trials are 0.0044.
    const double expected = one_sided_error(n, fixed_n_rank(n));
    EXPECT_NEAR(static_cast<double>(fixed_lo) / kTrials, expected, 0.0044) << n;
    EXPECT_LE(static_cast<double>(sequential_miss) / kTrials, 0.03 + 0.0044) << n;
  }
}

TEST(StatisticsSimulation, ThreeLooksFalselyClaimAWinLessOftenThanTheSumOfTheirErrors) {
  constexpr int kTrials = 40'000;
  std::mt19937_64 random(1911);
  int false_wins = 0;
  std::vector<double> ratios;
  for (int trial = 0; trial < kTrials; ++trial) {
    ratios.clear();
    for (const int n : {11, 21, 31}) {
      while (static_cast<int>(ratios.size()) < n) ratios.push_back(noisy_ratio(random));
      if (order_bounds(ratios, sequential_rank(n)).lo > 1) {
        ++false_wins;
        break;
      }
    }
  }
  const double rate = static_cast<double>(false_wins) / kTrials;
  EXPECT_LE(rate, 0.034 + 0.004);
  EXPECT_GE(rate, one_sided_error(31, sequential_rank(31)) - 0.004) << "the simulation is too kind";
}

}  // namespace
}  // namespace weft::tune
