// SPDX-License-Identifier: Apache-2.0
#include "ops/guard.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace weft::ops {
namespace {

/// Runs a guard to its end; `speedup(pair)` is what that pair measures. Returns the order of calls.
template <class Speedup>
std::string run(Guard& guard, Speedup&& speedup) {
  std::string order;
  while (!guard.decided()) {
    const int pair = (guard.calls() - Guard::kWarmUps) / 2;
    const bool fused = guard.runs_fused();
    order += fused ? 'A' : 'B';
    guard.record(fused ? 1e-3 : 1e-3 * speedup(pair));
  }
  return order;
}

TEST(Guard, AlternatesTheOrderAfterTwoWarmUps) {
  Guard guard(GuardedClaim::kImported);
  EXPECT_EQ(run(guard, [](int) { return 1.2; }),
            "AB"
            "ABBA"
            "ABBA"
            "ABBA"
            "ABBA"
            "ABBA"
            "AB");
  EXPECT_EQ(guard.calls(), Guard::kCalls);
}

TEST(Guard, KeepsATrueImportedWinner) {
  Guard guard(GuardedClaim::kImported);
  run(guard, [](int) { return 1.2; });
  EXPECT_TRUE(guard.runs_fused());
  EXPECT_STREQ(guard.reason(), "guard_kept");
  EXPECT_NE(guard.text().find("1.200 [1.200 1.200]"), std::string::npos) << guard.text();
}

TEST(Guard, DropsAFalseImportedWinner) {
  Guard guard(GuardedClaim::kImported);
  run(guard, [](int) { return 0.9; });
  EXPECT_FALSE(guard.runs_fused());
  EXPECT_STREQ(guard.reason(), "guard_dropped");
  EXPECT_NE(guard.text().find("unfused from now on"), std::string::npos) << guard.text();
}

TEST(Guard, ImportedNeedsTheThirdSmallestOfElevenAboveTheMargin) {
  const auto with_bad_pairs = [](int bad, double otherwise) {
    Guard guard(GuardedClaim::kImported);
    run(guard, [=](int pair) { return pair < bad ? 0.5 : otherwise; });
    return guard.runs_fused();
  };
  EXPECT_TRUE(with_bad_pairs(2, 1.02));
  EXPECT_FALSE(with_bad_pairs(3, 1.02));
  EXPECT_FALSE(with_bad_pairs(0, 1.009));
}

TEST(Guard, MeasuredIsDroppedOnlyWhenTheThirdLargestIsBelowOne) {
  const auto with_good_pairs = [](int good, double otherwise) {
    Guard guard(GuardedClaim::kMeasured);
    run(guard, [=](int pair) { return pair < good ? 1.5 : otherwise; });
    return guard.runs_fused();
  };
  EXPECT_FALSE(with_good_pairs(0, 0.99));
  EXPECT_FALSE(with_good_pairs(2, 0.99));
  EXPECT_TRUE(with_good_pairs(3, 0.99));
  EXPECT_TRUE(with_good_pairs(0, 1.0));
}

TEST(Guard, IgnoresTheWarmUps) {
  Guard guard(GuardedClaim::kMeasured);
  guard.record(5);     // a slow first fused call
  guard.record(1e-6);  // a fast unfused one
  run(guard, [](int) { return 1.1; });
  EXPECT_TRUE(guard.runs_fused());
}

TEST(Guard, DecidesOnceAndIgnoresLaterTimes) {
  Guard guard(GuardedClaim::kImported);
  EXPECT_STREQ(guard.reason(), "guard_undecided");
  EXPECT_NE(guard.text().find("0 of 24"), std::string::npos) << guard.text();
  run(guard, [](int) { return 1.2; });
  const std::string text = guard.text();
  for (int i = 0; i < 100; ++i) guard.record(1e9);
  EXPECT_TRUE(guard.runs_fused());
  EXPECT_EQ(guard.text(), text);
}

TEST(Guard, TimesBelowTheClocksStepAndNaNNeverKeepAnImportedWinner) {
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    Guard guard(GuardedClaim::kImported);
    while (!guard.decided()) guard.record(seconds);
    EXPECT_FALSE(guard.runs_fused());
  }
}

TEST(Guard, RanksFedTheSameTimesDecideTheSame) {
  std::mt19937_64 random(6174);
  std::uniform_real_distribution<double> seconds(0.9e-3, 1.1e-3);
  for (int trial = 0; trial < 200; ++trial) {
    Guard a(GuardedClaim::kImported);
    Guard b(GuardedClaim::kImported);
    for (int call = 0; call < Guard::kCalls + 5; ++call) {
      ASSERT_EQ(a.runs_fused(), b.runs_fused());
      ASSERT_EQ(a.decided(), b.decided());
      const double t = seconds(random);
      a.record(t);
      b.record(t);
    }
    ASSERT_EQ(a.text(), b.text());
  }
}

}  // namespace
}  // namespace weft::ops
