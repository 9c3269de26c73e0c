// SPDX-License-Identifier: Apache-2.0
// Coordinates worked out by hand, evaluated by the compiler (which refuses overflow).
#include <gtest/gtest.h>

#include <initializer_list>

#include "schedule/order.hpp"

namespace weft::schedule {
namespace {

constexpr bool tiles_are(const Grid& g, std::initializer_list<TileCoord> expected) {
  if (num_tiles(g) != static_cast<std::int64_t>(expected.size())) return false;
  std::int64_t i = 0;
  for (const TileCoord& at : expected) {
    if (tile_order(g, i++) != at) return false;
  }
  return true;
}

constexpr bool fetches_are(const Grid& g, std::int64_t stage,
                           std::initializer_list<FetchCoord> expected) {
  if (stage_fetches(g, stage) != static_cast<std::int64_t>(expected.size())) return false;
  std::int64_t i = 0;
  for (const FetchCoord& at : expected) {
    if (fetch_order(g, stage, i++) != at) return false;
  }
  return true;
}

template <class Map>
constexpr bool values_are(Map map, std::initializer_list<decltype(map(0))> expected) {
  std::int64_t i = 0;
  for (const auto& value : expected) {
    if (!(map(i++) == value)) return false;
  }
  return true;
}

constexpr bool rows_are(const Grid& g, std::initializer_list<Range> expected) {
  return g.num_m_tiles == static_cast<std::int64_t>(expected.size()) &&
         values_are([&](std::int64_t i) { return m_tile_rows(g, i); }, expected);
}

constexpr bool depths_are(const Grid& g, std::initializer_list<Range> expected) {
  return g.num_k_groups == static_cast<std::int64_t>(expected.size()) &&
         values_are([&](std::int64_t i) { return k_group_range(g, i); }, expected);
}

constexpr bool m_visits_are(const Grid& g, std::initializer_list<std::int64_t> expected) {
  return values_are([&](std::int64_t i) { return m_visit(g, i); }, expected);
}

constexpr bool k_visits_are(const Grid& g, std::initializer_list<std::int64_t> expected) {
  return values_are([&](std::int64_t i) { return k_visit(g, i); }, expected);
}

// 5 rows in tiles of 2; 12 deep, 6 a rank, in k-groups of 4: ragged in both, stages of 2 and 1.
TEST(ScheduleSamples, ShardDimK) {
  constexpr Grid kGrid = make_grid({.m = 5,
                                    .n = 3,
                                    .k = 12,
                                    .world_size = 2,
                                    .rank = 1,
                                    .tile_m = 2,
                                    .tile_n = 2,
                                    .tile_k = 2,
                                    .group_m = 2,
                                    .k_per_flag = 2,
                                    .num_fetch_stages = 2});
  static_assert(rows_are(kGrid, {{0, 2}, {2, 4}, {4, 5}}));
  static_assert(depths_are(kGrid, {{0, 4}, {4, 6}, {6, 10}, {10, 12}}));
  static_assert(n_tile_cols(kGrid, 1) == Range{2, 3});
  static_assert(kGrid.num_stages == 2 && stage_tiles(kGrid, 0) == 4 && stage_tiles(kGrid, 1) == 2);
  static_assert(tiles_are(kGrid, {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}}));
  static_assert(stage_of_tile(kGrid, 3) == 0 && stage_of_tile(kGrid, 4) == 1);
  static_assert(k_visits_are(kGrid, {2, 3, 0, 1}));
  static_assert(fetches_are(kGrid, 0, {{0, 0}, {1, 0}, {0, 1}, {1, 1}}));
  static_assert(fetches_are(kGrid, 1, {{2, 0}, {2, 1}}));
  static_assert(owner(kGrid, 0, 1) == 0 && owner(kGrid, 0, 2) == 1);
  static_assert(is_fetched(kGrid, 2, 1) && !is_fetched(kGrid, 2, 2));
  static_assert(num_flags(kGrid) == 12 && flag_index(kGrid, 2, 3) == 11);
}

// Rank 1 of 3, two k-groups a shard: rotated 2 3 | 4 5 | 0 1, fixed 0 1 | 2 3 | 4 5.
TEST(ScheduleSamples, RotatedAndFixedDepthOrder) {
  constexpr GridSpec kRotated{.k = 6, .world_size = 3, .rank = 1};
  constexpr GridSpec kFixed{.k = 6, .world_size = 3, .rank = 1, .rotate = false};
  static_assert(k_visits_are(make_grid(kRotated), {2, 3, 4, 5, 0, 1}));
  static_assert(fetches_are(make_grid(kRotated), 0, {{0, 4}, {0, 5}, {0, 0}, {0, 1}}));
  static_assert(k_visits_are(make_grid(kFixed), {0, 1, 2, 3, 4, 5}));
  static_assert(fetches_are(make_grid(kFixed), 0, {{0, 0}, {0, 1}, {0, 4}, {0, 5}}));
}

// 4 rows a rank in tiles of 3 and 1. Rank 1 of 3: own tiles 2 3, then ranks 2 and 0 in turn.
TEST(ScheduleSamples, ShardDimM) {
  constexpr Grid kGrid = make_grid({.m = 12,
                                    .n = 4,
                                    .k = 5,
                                    .world_size = 3,
                                    .rank = 1,
                                    .shard_m = true,
                                    .tile_m = 3,
                                    .tile_n = 2,
                                    .tile_k = 2,
                                    .group_m = 2,
                                    .num_fetch_stages = 2});
  static_assert(!kGrid.spans && kGrid.num_pieces == 6);
  static_assert(rows_are(kGrid, {{0, 3}, {3, 4}, {4, 7}, {7, 8}, {8, 11}, {11, 12}}));
  static_assert(depths_are(kGrid, {{0, 2}, {2, 4}, {4, 5}}));
  static_assert(m_visits_are(kGrid, {2, 3, 4, 0, 5, 1}));
  static_assert(k_visits_are(kGrid, {0, 1, 2}));
  static_assert(tiles_are(kGrid, {{2, 0},
                                  {3, 0},
                                  {2, 1},
                                  {3, 1},
                                  {4, 0},
                                  {4, 1},  // stage 0
                                  {0, 0},
                                  {5, 0},
                                  {0, 1},
                                  {5, 1},
                                  {1, 0},
                                  {1, 1}}));
  static_assert(fetches_are(kGrid, 0, {{4, 0}, {4, 1}, {4, 2}}));
  static_assert(fetches_are(
      kGrid, 1, {{0, 0}, {5, 0}, {0, 1}, {5, 1}, {0, 2}, {5, 2}, {1, 0}, {1, 1}, {1, 2}}));
  static_assert(owner(kGrid, 4, 0) == 2 && !is_fetched(kGrid, 3, 2));
}

// 2 rows a rank under tiles of 5: tile 0 reads all three shards, and tile 1 the last one.
TEST(ScheduleSamples, TileThatSpansShards) {
  constexpr Grid kGrid = make_grid({.m = 6,
                                    .n = 1,
                                    .k = 2,
                                    .world_size = 3,
                                    .rank = 2,
                                    .shard_m = true,
                                    .tile_m = 5,
                                    .group_m = 2,
                                    .num_fetch_stages = 2});
  static_assert(kGrid.spans && kGrid.num_pieces == 3);
  static_assert(rows_are(kGrid, {{0, 5}, {5, 6}}));
  static_assert(piece_rows(kGrid, 1) == Range{2, 4});
  static_assert(pieces_of_m_tile(kGrid, 0) == Range{0, 3});
  static_assert(pieces_of_m_tile(kGrid, 1) == Range{2, 3});
  static_assert(m_visits_are(kGrid, {0, 1}));
  static_assert(fetches_are(kGrid, 0, {{2, 0}, {0, 0}, {2, 1}, {0, 1}, {1, 0}, {1, 1}}));
  static_assert(fetches_are(kGrid, 1, {}));
  static_assert(is_fetched(kGrid, 2, 0));
}

TEST(ScheduleSamples, OneRankFetchesNothing) {
  constexpr Grid kShardM = make_grid({.m = 3, .k = 2, .shard_m = true, .tile_m = 8});
  constexpr Grid kShardK = make_grid({.m = 3, .k = 2});
  static_assert(!kShardM.spans && stage_fetches(kShardM, 0) == 0 && !is_fetched(kShardM, 0, 0));
  static_assert(stage_fetches(kShardK, 0) == 0 && !is_fetched(kShardK, 2, 1));
}

// M = 2^40 over 8 ranks in tiles of 256: 2^32 m-tiles; N = 2^21: 2^13 n-tiles; 2^45 tiles.
TEST(ScheduleSamples, SixtyFourBitExtents) {
  constexpr std::int64_t kM = std::int64_t{1} << 40;
  constexpr Grid kGrid = make_grid({.m = kM,
                                    .n = 1 << 21,
                                    .k = 1 << 20,
                                    .world_size = 8,
                                    .shard_m = true,
                                    .tile_m = 256,
                                    .tile_n = 256,
                                    .tile_k = 64,
                                    .group_m = 0x7FFFFFFF,
                                    .k_per_flag = 16});
  static_assert(num_tiles(kGrid) == 35184372088832);  // 2^45
  static_assert(num_flags(kGrid) == 4398046511104);   // 2^32 pieces x 2^10 k-groups
  static_assert(tile_order(kGrid, 0) == TileCoord{0, 0});
  static_assert(tile_order(kGrid, 35184372088831) == TileCoord{4294967295, 8191});
  static_assert(m_tile_rows(kGrid, 4294967295) == Range{kM - 256, kM});
  // 7 peers x 2^29 m-tiles x 2^10 k-groups.
  static_assert(stage_fetches(kGrid, 0) == 3848290697216);
  static_assert(fetch_order(kGrid, 0, 0) == FetchCoord{536870912, 0});
  static_assert(fetch_order(kGrid, 0, 3848290697215) == FetchCoord{4294967295, 1023});
}

// A group far wider than the tiles there are, over 2^40 columns.
TEST(ScheduleSamples, GroupBeyondAllTiles) {
  constexpr Grid kGrid = make_grid({.m = 2, .n = std::int64_t{1} << 40, .group_m = 0x7FFFFFFF});
  static_assert(tile_order(kGrid, 2199023255551) == TileCoord{1, 1099511627775});
}

}  // namespace
}  // namespace weft::schedule
