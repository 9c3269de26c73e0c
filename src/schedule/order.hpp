// SPDX-License-Identifier: Apache-2.0
// In which order tiles are computed and parts of A are fetched. Host and device.
//
// m-tiles are visited in stages; inside a stage in groups of group_m (the last group of a stage is
// narrower), and inside a group n-tile by n-tile:
//
//   stage 0            stage 1
//   g0: m0 m1 | g1: m2   ...      computed: (m0,n0) (m1,n0) (m0,n1) (m1,n1) ... (m2,n0) (m2,n1) ...
//                                 fetched:  (m0,k0) (m1,k0) (m0,k1) (m1,k1) ... (m2,k0) (m2,k1) ...
#pragma once

#include "schedule/grid.hpp"

namespace weft::schedule {

/// One output tile.
struct TileCoord {
  std::int64_t m_tile = 0, n_tile = 0;
  WEFT_HD friend constexpr bool operator==(const TileCoord&, const TileCoord&) = default;
};

/// One fetch: the part of A that one flag publishes.
struct FetchCoord {
  std::int64_t piece = 0, k_group = 0;
  WEFT_HD friend constexpr bool operator==(const FetchCoord&, const FetchCoord&) = default;
};

/// The m-tile visited at `position` in [0, num_m_tiles). shard_dim k: in order. shard_dim m: the
/// own rows first, then the peers' tiles interleaved, starting with the next rank, so that all
/// links are used at once. Spanning tiles: from the tile that holds the own first row on, wrapping.
WEFT_HD constexpr std::int64_t m_visit(const Grid& g, std::int64_t position) {
  if (!g.spec.shard_m) return position;
  if (g.spans) {
    const std::int64_t own = g.spec.rank * g.m_local / g.spec.tile_m;
    return (own + position) % g.num_m_tiles;
  }
  const std::int64_t own = g.m_tiles_per_shard;
  if (position < own) return g.spec.rank * own + position;
  const std::int64_t peers = g.spec.world_size - 1;
  const std::int64_t i = position - own;
  const std::int64_t peer = (g.spec.rank + 1 + i % peers) % g.spec.world_size;
  return peer * own + i / peers;
}

/// The k-group visited at `position` in [0, num_k_groups): from the own shard on, rotated, unless
/// the order is fixed.
WEFT_HD constexpr std::int64_t k_visit(const Grid& g, std::int64_t position) {
  if (g.spec.shard_m || !g.spec.rotate) return position;
  const std::int64_t shard = (g.spec.rank + position / g.k_groups_per_shard) % g.spec.world_size;
  return shard * g.k_groups_per_shard + position % g.k_groups_per_shard;
}

/// Positions (arguments of m_visit) that stage `stage` holds.
WEFT_HD constexpr Range stage_positions(const Grid& g, std::int64_t stage) {
  const std::int64_t begin = stage * g.stage_m_tiles;
  return {begin, min64(begin + g.stage_m_tiles, g.num_m_tiles)};
}

/// Splits index `i` of a [rows x columns] walk in groups of `group` rows: within a group row by row
/// for each column. The last group is narrower.
struct GroupedIndex {
  std::int64_t row = 0, column = 0;
};
WEFT_HD constexpr GroupedIndex grouped(std::int64_t rows, std::int64_t columns, std::int64_t group,
                                       std::int64_t i) {
  const std::int64_t most = min64(group, rows);  // NOTE: group * columns may pass 2^63
  const std::int64_t first = i / (most * columns) * most;
  const std::int64_t width = min64(most, rows - first);
  const std::int64_t in_group = i % (most * columns);
  return {first + in_group % width, in_group / width};
}

/// Tiles that a stage holds, and the stage of the i-th tile of all.
WEFT_HD constexpr std::int64_t stage_tiles(const Grid& g, std::int64_t stage) {
  return stage_positions(g, stage).size() * g.num_n_tiles;
}

/// Stage of the i-th tile, i in [0, num_tiles).
WEFT_HD constexpr std::int64_t stage_of_tile(const Grid& g, std::int64_t i) {
  return i / (g.stage_m_tiles * g.num_n_tiles);
}

/// Tile computed i-th. Bijective on [0, num_tiles).
WEFT_HD constexpr TileCoord tile_order(const Grid& g, std::int64_t i) {
  const std::int64_t stage = stage_of_tile(g, i);
  const Range positions = stage_positions(g, stage);
  const std::int64_t in_stage = i - stage * g.stage_m_tiles * g.num_n_tiles;
  const GroupedIndex at = grouped(positions.size(), g.num_n_tiles, g.spec.group_m, in_stage);
  return {m_visit(g, positions.begin + at.row), at.column};
}

/// Rows of fetches that stage `stage` holds, as positions. Only remote parts are fetched, so with
/// shard_dim m the own tiles (which come first) are left out. Spanning tiles: stage 0 fetches all
/// pieces, since any tile may need any of them.
WEFT_HD constexpr Range fetch_positions(const Grid& g, std::int64_t stage) {
  if (g.spec.world_size == 1) return {0, 0};
  if (g.spans) return stage == 0 ? Range{0, g.num_pieces} : Range{0, 0};
  Range positions = stage_positions(g, stage);
  if (g.spec.shard_m) {
    positions.begin = max64(positions.begin, g.m_tiles_per_shard);
    positions.end = max64(positions.end, positions.begin);
  }
  return positions;
}

/// k-groups fetched for one piece: all but the own shard's.
WEFT_HD constexpr std::int64_t fetched_k_groups(const Grid& g) {
  return g.spec.shard_m ? g.num_k_groups : g.num_k_groups - g.k_groups_per_shard;
}

/// Number of fetches of a stage.
WEFT_HD constexpr std::int64_t stage_fetches(const Grid& g, std::int64_t stage) {
  return fetch_positions(g, stage).size() * fetched_k_groups(g);
}

/// The i-th fetch of `stage`, i in [0, stage_fetches). Over all stages each part for which
/// is_fetched holds comes exactly once.
WEFT_HD constexpr FetchCoord fetch_order(const Grid& g, std::int64_t stage, std::int64_t i) {
  const Range positions = fetch_positions(g, stage);
  const GroupedIndex at = grouped(positions.size(), fetched_k_groups(g), g.spec.group_m, i);
  const std::int64_t position = positions.begin + at.row;
  const std::int64_t piece =
      g.spans ? (g.spec.rank + position) % g.spec.world_size : m_visit(g, position);
  if (g.spec.shard_m) return {piece, at.column};
  // The own shard is the first one visited when rotating, and skipped when the order is fixed.
  const std::int64_t own = g.spec.rank * g.k_groups_per_shard;
  const std::int64_t skip = g.spec.rotate || at.column >= own ? g.k_groups_per_shard : 0;
  return {piece, k_visit(g, at.column + skip)};
}

/// Fetching work-groups of a stage.
WEFT_HD constexpr std::int32_t num_fetchers(std::int64_t stage, std::int32_t first_stage_fetchers,
                                            std::int32_t later_fetchers) {
  return stage == 0 ? first_stage_fetchers : later_fetchers;
}

}  // namespace weft::schedule
