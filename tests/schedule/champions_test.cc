// SPDX-License-Identifier: Apache-2.0
// The five imported MI300X entries (world_size 8) whose group_m does not divide the m-tiles of a
// stage. Where the last group of a stage keeps its full width some flags are never raised; with
// the narrower group each flag is raised once and each tile computed once.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "schedule/simulation.hpp"

namespace weft::schedule {
namespace {

struct Champion {
  const char* label;
  std::int64_t m, n, k;
  std::int32_t k_per_flag, num_fetch_sms, num_fetch_stages;
  std::int64_t unset, flags;  ///< with k-groups counted over the whole K and wide last groups
};

constexpr std::int32_t kWorldSize = 8;
constexpr std::int32_t kTile = 256, kTileK = 64, kGroupM = 24, kFirstStageFetchSms = 52;
constexpr std::int32_t kComputeUnits = 304;

constexpr Champion kChampions[] = {
    {"g2", 131072, 16384, 16384, 32, 4, 64, 2560, 4096},
    {"g6", 262144, 8192, 8192, 64, 52, 4, 32, 2048},
    {"g14", 147456, 28672, 4096, 16, 59, 36, 576, 2304},
    {"g15", 327680, 28672, 4096, 16, 4, 32, 512, 5120},
    {"g16", 229376, 28672, 4096, 16, 4, 56, 896, 3584},
};

std::ostream& operator<<(std::ostream& out, const Champion& champion) {
  return out << champion.label;
}

class Champions : public testing::TestWithParam<Champion> {
 protected:
  static GridSpec spec(std::int32_t rank) {
    const Champion& c = GetParam();
    return {.m = c.m,
            .n = c.n,
            .k = c.k,
            .world_size = kWorldSize,
            .rank = rank,
            .tile_m = kTile,
            .tile_n = kTile,
            .tile_k = kTileK,
            .group_m = kGroupM,
            .k_per_flag = c.k_per_flag,
            .num_fetch_stages = c.num_fetch_stages};
  }
};

TEST_P(Champions, GroupDoesNotDivideTheStage) {
  const Grid g = make_grid(spec(0));
  EXPECT_EQ(g.num_m_tiles % g.num_stages, 0);
  EXPECT_NE(g.stage_m_tiles % kGroupM, 0);
}

TEST_P(Champions, EachFlagIsRaisedOnceAndEachTileComputedOnce) {
  for (std::int32_t rank = 0; rank < kWorldSize; ++rank) {
    GridSpec s = spec(rank);
    EXPECT_EQ(check_all(make_grid(s)), "") << "rank " << rank << ", rotated";
    s.rotate = false;
    EXPECT_EQ(check_all(make_grid(s)), "") << "rank " << rank << ", fixed";
  }
}

TEST_P(Champions, FinishOnAllComputeUnits) {
  const Grid g = make_grid(spec(kWorldSize - 1));
  Simulation simulation{.num_workers = kComputeUnits,
                        .num_resident = kComputeUnits,
                        .first_stage_fetchers = kFirstStageFetchSms,
                        .later_fetchers = GetParam().num_fetch_sms};
  for (const Adversary adversary : {Adversary::kLowest, Adversary::kHighest}) {
    simulation.adversary = adversary;
    EXPECT_EQ(simulate(g, simulation), "");
  }
}

// What made them hang: without narrowing, index i of a stage falls on rows the stage does not have.
TEST_P(Champions, WideLastGroupsWouldLeaveFlagsUnset) {
  const Champion& c = GetParam();
  const std::int64_t rows = c.m / kTile / c.num_fetch_stages;
  const std::int64_t columns = c.k / kTileK / c.k_per_flag;
  const auto count_unset = [&](auto map) {
    std::vector<bool> is_set(rows * columns, false);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const GroupedIndex at = map(i);
      if (at.row < rows) is_set[at.row * columns + at.column] = true;
    }
    return c.num_fetch_stages * std::count(is_set.begin(), is_set.end(), false);
  };
  EXPECT_EQ(c.num_fetch_stages * rows * columns, c.flags);
  EXPECT_EQ(count_unset([&](std::int64_t i) {
              const std::int64_t in_group = i % (kGroupM * columns);
              return GroupedIndex{i / (kGroupM * columns) * kGroupM + in_group % kGroupM,
                                  in_group / kGroupM};
            }),
            c.unset);
  EXPECT_EQ(count_unset([&](std::int64_t i) { return grouped(rows, columns, kGroupM, i); }), 0);
}

INSTANTIATE_TEST_SUITE_P(Gfx942, Champions, testing::ValuesIn(kChampions),
                         [](const auto& param) { return std::string(param.param.label); });

}  // namespace
}  // namespace weft::schedule
