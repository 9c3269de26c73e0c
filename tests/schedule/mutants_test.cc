// SPDX-License-Identifier: Apache-2.0
// Deliberately broken orders: each must be found by the check that is there for it, on the same
// random grids on which the real order passes.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "schedule/grids.hpp"
#include "schedule/simulation.hpp"

namespace weft::schedule {
namespace {

using Check = std::string (*)(const Grid&, const Order&);

struct Mutant {
  const char* name;
  Order order;
  Check check;
};

std::ostream& operator<<(std::ostream& out, const Mutant& mutant) { return out << mutant.name; }

/// The last group keeps the full width.
GroupedIndex grouped_too_wide(std::int64_t columns, std::int64_t group, std::int64_t i) {
  const std::int64_t in_group = i % (group * columns);
  return {i / (group * columns) * group + in_group % group, in_group / group};
}

TileCoord tile_in_wide_groups(const Grid& g, std::int64_t i) {
  const Range positions = stage_positions(g, stage_of_tile(g, i));
  const GroupedIndex at =
      grouped_too_wide(g.num_n_tiles, g.spec.group_m, i - positions.begin * g.num_n_tiles);
  const std::int64_t position = positions.begin + at.row;
  return {position < g.num_m_tiles ? m_visit(g, position) : position, at.column};
}

FetchCoord fetch_in_wide_groups(const Grid& g, std::int64_t stage, std::int64_t i) {
  if (g.spec.shard_m || !g.spec.rotate) return fetch_order(g, stage, i);
  const GroupedIndex at = grouped_too_wide(fetched_k_groups(g), g.spec.group_m, i);
  return {stage_positions(g, stage).begin + at.row, k_visit(g, at.column + g.k_groups_per_shard)};
}

/// Groups run on over the end of a stage.
TileCoord tile_across_stages(const Grid& g, std::int64_t i) {
  const GroupedIndex at = grouped(g.num_m_tiles, g.num_n_tiles, g.spec.group_m, i);
  return {m_visit(g, at.row), at.column};
}

/// Fetchers go through the peers in rank order while the tiles start with the next rank.
FetchCoord fetch_in_rank_order(const Grid& g, std::int64_t stage, std::int64_t i) {
  if (!g.spec.shard_m || g.spans) return fetch_order(g, stage, i);
  const Range positions = fetch_positions(g, stage);
  const GroupedIndex at = grouped(positions.size(), g.num_k_groups, g.spec.group_m, i);
  const std::int64_t peer_tile = positions.begin + at.row - g.m_tiles_per_shard;
  const std::int64_t own_begin = g.spec.rank * g.m_tiles_per_shard;
  return {peer_tile < own_begin ? peer_tile : peer_tile + g.m_tiles_per_shard, at.column};
}

/// The fixed order does not step over the own shard.
FetchCoord fetch_own_shard_too(const Grid& g, std::int64_t stage, std::int64_t i) {
  FetchCoord at = fetch_order(g, stage, i);
  const std::int64_t own_end = (g.spec.rank + 1) * g.k_groups_per_shard;
  if (!g.spec.shard_m && !g.spec.rotate && at.k_group >= own_end) {
    at.k_group -= g.k_groups_per_shard;
  }
  return at;
}

/// Peers one after another: all ranks would load one link at a time.
std::int64_t visit_peer_by_peer(const Grid& g, std::int64_t position) {
  if (!g.spec.shard_m || g.spans) return m_visit(g, position);
  return (g.spec.rank * g.m_tiles_per_shard + position) % g.num_m_tiles;
}

std::int64_t visit_from_first_tile(const Grid&, std::int64_t position) { return position; }

/// Counts tiles over the whole extent, so that they straddle shards.
Range rows_across_shards(const Grid& g, std::int64_t m_tile) {
  const std::int64_t begin = m_tile * g.spec.tile_m;
  return {begin, min64(begin + g.spec.tile_m, g.spec.m)};
}
Range depth_across_shards(const Grid& g, std::int64_t k_group) {
  const std::int64_t depth = std::int64_t{g.spec.tile_k} * g.spec.k_per_flag;
  return {k_group * depth, min64((k_group + 1) * depth, g.spec.k)};
}

std::int64_t flag_with_wrong_stride(const Grid& g, std::int64_t piece, std::int64_t k_group) {
  return piece * g.k_groups_per_shard + k_group;
}

const Mutant kMutants[] = {
    {"WideGroupsOfTiles", {.tile = tile_in_wide_groups}, check_tiles},
    {"WideGroupsOfFetches", {.fetch = fetch_in_wide_groups}, check_fetches},
    {"GroupsAcrossStages", {.tile = tile_across_stages}, check_groups},
    {"FetchesInRankOrder", {.fetch = fetch_in_rank_order}, check_waits},
    {"OwnShardFetched", {.fetch = fetch_own_shard_too}, check_fetches},
    {"PeerByPeer", {.visit_m = visit_peer_by_peer}, check_interleaving},
    {"OwnRowsNotFirst", {.visit_m = visit_from_first_tile}, check_visits},
    {"OwnShardNotFirst", {.visit_k = visit_from_first_tile}, check_visits},
    {"TilesAcrossShards", {.rows = rows_across_shards}, check_cut},
    {"KGroupsAcrossShards", {.depth = depth_across_shards}, check_cut},
    {"FlagsShared", {.flag = flag_with_wrong_stride}, check_flags},
};

/// The i-th grid of a fixed series.
Grid drawn(int i) {
  static const rc::Gen<GridSpec> kGen = random_spec();
  const auto seed = static_cast<std::uint64_t>(i);
  return make_grid(kGen(rc::Random(seed), i % (rc::kNominalSize + 1)).value());
}

constexpr int kDraws = 1000;

class Mutants : public testing::TestWithParam<Mutant> {};

TEST_P(Mutants, AreFoundByTheirCheck) {
  int num_found = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Grid g = drawn(i);
    ASSERT_EQ(GetParam().check(g, {}), "");
    if (!GetParam().check(g, GetParam().order).empty()) ++num_found;
  }
  EXPECT_GE(num_found, kDraws / 50);
}

INSTANTIATE_TEST_SUITE_P(Schedule, Mutants, testing::ValuesIn(kMutants),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(Simulation, FindsBrokenOrders) {
  const Grid g = make_grid({.m = 10,
                            .n = 2,
                            .k = 4,
                            .world_size = 2,
                            .group_m = 4,
                            .num_fetch_stages = 2});  // stages of 5: groups of 4 and 1
  const Simulation simulation{.num_workers = 3, .num_resident = 3};
  EXPECT_EQ(simulate(g, simulation), "");
  EXPECT_EQ(simulate(g, simulation, {.tile = tile_in_wide_groups}), "there is no tile (10, 0)");
  // (piece 4, k_group 3) is never fetched.
  Order never;
  never.fetch = [](const Grid& grid, std::int64_t stage, std::int64_t i) {
    FetchCoord at = fetch_order(grid, stage, i);
    if (at == FetchCoord{4, 3}) at.k_group = 2;
    return at;
  };
  EXPECT_EQ(simulate(g, simulation, never), "deadlock: tile (4, 0) waits for flag 19");
}

// Workers that go stage by stage stand still when a tile needs what only a later stage fetches.
TEST(Simulation, FindsAFetchInALaterStage) {
  const Grid g = make_grid({.m = 6,
                            .n = 1,
                            .k = 1,
                            .world_size = 3,
                            .rank = 1,
                            .shard_m = true,
                            .num_fetch_stages = 3});  // peers' tiles: visited 4 0 5 1
  const Simulation simulation{.roles = Roles::kStageByStage};
  EXPECT_EQ(simulate(g, simulation), "");
  EXPECT_EQ(simulate(g, simulation, {.fetch = fetch_in_rank_order}),
            "deadlock: tile (4, 0) waits for flag 4");
}

}  // namespace
}  // namespace weft::schedule
