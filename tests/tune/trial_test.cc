// SPDX-License-Identifier: Apache-2.0
#include "tune/trial.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace weft::tune {
namespace {

const auto kAlways = [](std::int32_t) { return true; };
const auto kIgnore = [](std::size_t, std::size_t) {};

TEST(Spread, GivesMedianAndRange) {
  EXPECT_EQ(spread(std::vector<double>{3, 1, 2}), (Spread{2, 1, 3}));
  EXPECT_EQ(spread({}), Spread{});
}

TEST(RunPairs, RunsABBABlocksAndDividesUnfusedByFused) {
  std::vector<std::size_t> calls;
  const TimeArm time = [&](std::size_t arm) {
    calls.push_back(arm);
    return arm == 4 ? 2.0 : 3.0;
  };
  const PairTimes pairs = run_pairs(time, 4, 9, 2, kAlways);
  EXPECT_EQ(calls, (std::vector<std::size_t>{4, 9, 9, 4, 4, 9, 9, 4}));
  EXPECT_EQ(pairs.ratios, (std::vector<double>{1.5, 1.5}));
  EXPECT_EQ(pairs.a, (std::vector<double>{2, 2, 2, 2}));
  EXPECT_EQ(pairs.b, (std::vector<double>{3, 3, 3, 3}));
}

TEST(RunPairs, ALinearDriftCancels) {
  double clock = 1;
  const TimeArm time = [&](std::size_t) { return clock += 0.25; };
  for (const double ratio : run_pairs(time, 0, 1, 5, kAlways).ratios) {
    EXPECT_DOUBLE_EQ(ratio, 1);
  }
}

TEST(RunPairs, StopsWhenAsked) {
  const TimeArm time = [](std::size_t) { return 1.0; };
  const PairTimes pairs = run_pairs(time, 0, 1, 11, [](std::int32_t done) { return done < 4; });
  EXPECT_EQ(pairs.ratios.size(), 4U);
}

TEST(Screen, TimesEveryArmOnceARoundAndChangesTheOrder) {
  std::vector<std::size_t> calls;
  const TimeArm time = [&](std::size_t arm) {
    calls.push_back(arm);
    return 1.0;
  };
  const std::vector<int> teams{0, 0, 0, 1, 1};
  const Screening s = screen(time, teams, 3, {1.5, 9}, kIgnore);
  ASSERT_EQ(calls.size(), 15U);
  std::set<std::size_t> first;
  for (std::size_t round = 0; round < 3; ++round) {
    const std::multiset<std::size_t> seen(calls.begin() + round * 5, calls.begin() + round * 5 + 5);
    EXPECT_EQ(seen, (std::multiset<std::size_t>{0, 1, 2, 3, 4})) << "round " << round;
    first.insert(calls[round * 5]);
  }
  EXPECT_EQ(first.size(), 3U) << "each round starts with another arm";
  for (const auto& samples : s.samples) EXPECT_EQ(samples.size(), 3U);
}

TEST(Screen, CutsSlowArmsOfATeamOnly) {
  // Team 1 is slower than team 0 as a whole; arm 3 is slow within its team.
  const std::vector<double> seconds{1.0, 1.1, 4.0, 9.0, 4.1};
  const std::vector<int> teams{0, 0, 1, 1, 1};
  std::map<std::size_t, int> count;
  const TimeArm time = [&](std::size_t arm) {
    ++count[arm];
    return seconds[arm];
  };
  const Screening s = screen(time, teams, 3, {1.25, 9}, kIgnore);
  EXPECT_EQ(count, (std::map<std::size_t, int>{{0, 3}, {1, 3}, {2, 3}, {3, 1}, {4, 3}}));
  EXPECT_EQ(s.best(teams, 0), 0U);
  EXPECT_EQ(s.best(teams, 1), 2U);
}

TEST(Screen, KeepsTheFastestOfATeam) {
  const std::vector<double> seconds{1.02, 1.01, 1.00, 1.01, 7.0};
  const std::vector<int> teams{0, 0, 0, 0, 1};
  std::map<std::size_t, int> count;
  const TimeArm time = [&](std::size_t arm) {
    ++count[arm];
    return seconds[arm];
  };
  screen(time, teams, 3, {1.25, 2}, kIgnore);
  EXPECT_EQ(count, (std::map<std::size_t, int>{{0, 1}, {1, 3}, {2, 3}, {3, 1}, {4, 3}}));
}

TEST(Screen, AnArmThatWasCutIsNeverTheBest) {
  // Arm 1 is cut after a slow first round; the others slow down later.
  std::map<std::size_t, int> count;
  const TimeArm time = [&](std::size_t arm) {
    const int round = count[arm]++;
    if (arm == 1) return 2.0;
    return round == 0 ? 1.0 : 5.0;
  };
  const std::vector<int> teams{0, 0, 0};
  const Screening s = screen(time, teams, 3, {1.25, 9}, kIgnore);
  EXPECT_NE(s.best(teams, 0), 1U);
}

TEST(Screen, ReportsWhatIsLeft) {
  const TimeArm time = [](std::size_t arm) { return arm == 0 ? 1.0 : 9.0; };
  const std::vector<int> teams{0, 0};
  std::vector<std::pair<std::size_t, std::size_t>> reports;
  screen(time, teams, 3, {1.25, 9},
         [&](std::size_t done, std::size_t total) { reports.emplace_back(done, total); });
  ASSERT_EQ(reports.size(), 4U);
  EXPECT_EQ(reports.front(), (std::pair<std::size_t, std::size_t>{0, 6}));
  EXPECT_EQ(reports.back(), (std::pair<std::size_t, std::size_t>{3, 4}));
}

}  // namespace
}  // namespace weft::tune
