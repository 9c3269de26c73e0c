// SPDX-License-Identifier: Apache-2.0
// Extents around 2^40: too many tiles to visit, so sampled indices are mapped there and back. An
// order whose every index comes back from its own coordinate is a bijection.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "schedule/checks.hpp"
#include "schedule/grids.hpp"

namespace weft::schedule {
namespace {

/// First, last and random indices of [0, count).
std::vector<std::int64_t> sampled(std::int64_t count) {
  std::vector<std::int64_t> indices =
      *rc::gen::container<std::vector<std::int64_t>>(16, random_index(count));
  indices.push_back(0);
  indices.push_back(count - 1);
  return indices;
}

/// The position at which `m_tile` is visited.
std::int64_t position_of(const Grid& g, std::int64_t m_tile) {
  const GridSpec& s = g.spec;
  if (!s.shard_m) return m_tile;
  const std::int64_t rows_a_rank = s.m / s.world_size;
  if (s.world_size > 1 && rows_a_rank < s.tile_m) {
    const std::int64_t first = s.rank * rows_a_rank / s.tile_m;
    return m_tile >= first ? m_tile - first : m_tile - first + g.num_m_tiles;
  }
  const std::int64_t per_rank = g.num_m_tiles / s.world_size;
  const std::int64_t rank = m_tile / per_rank;
  if (rank == s.rank) return m_tile % per_rank;
  const std::int64_t turn = (rank - s.rank - 1 + s.world_size) % s.world_size;
  return per_rank + m_tile % per_rank * (s.world_size - 1) + turn;
}

/// The index at which a grouped walk over [rows x columns] is at (row, column).
std::int64_t grouped_index(std::int64_t rows, std::int64_t columns, std::int64_t group,
                           std::int64_t row, std::int64_t column) {
  const std::int64_t first = row - row % group;
  const std::int64_t width = std::min(group, rows - first);
  return first * columns + column * width + row - first;
}

RC_GTEST_PROP(LargeGrid, TilesMapBackToTheirIndex, ()) {
  const Grid g = make_grid(*random_large_spec());
  const std::int64_t stage_width =
      (g.num_m_tiles + g.spec.num_fetch_stages - 1) / g.spec.num_fetch_stages;
  for (const std::int64_t i : sampled(num_tiles(g))) {
    const TileCoord at = tile_order(g, i);
    RC_ASSERT(at.m_tile >= 0 && at.m_tile < g.num_m_tiles);
    RC_ASSERT(at.n_tile >= 0 && at.n_tile < g.num_n_tiles);
    const std::int64_t position = position_of(g, at.m_tile);
    const std::int64_t begin = position - position % stage_width;
    const std::int64_t rows = std::min(stage_width, g.num_m_tiles - begin);
    RC_ASSERT(begin * g.num_n_tiles +
                  grouped_index(rows, g.num_n_tiles, g.spec.group_m, position - begin, at.n_tile) ==
              i);
    RC_ASSERT(stage_of_tile(g, i) == position / stage_width);
  }
}

RC_GTEST_PROP(LargeGrid, FetchesMapBackToTheirIndex, ()) {
  const Grid g = make_grid(*random_large_spec());
  const GridSpec& s = g.spec;
  const std::int64_t stage = *random_index(g.num_stages);
  RC_PRE(stage_fetches(g, stage) > 0);
  const std::int64_t per_rank = g.num_k_groups / (s.shard_m ? 1 : s.world_size);
  const std::int64_t columns = g.num_k_groups - (s.shard_m ? 0 : per_rank);
  const std::int64_t rows = stage_fetches(g, stage) / columns;
  RC_ASSERT(rows * columns == stage_fetches(g, stage));
  for (const std::int64_t i : sampled(stage_fetches(g, stage))) {
    const FetchCoord at = fetch_order(g, stage, i);
    RC_ASSERT(at.piece >= 0 && at.piece < g.num_pieces);
    RC_ASSERT(at.k_group >= 0 && at.k_group < g.num_k_groups);
    RC_ASSERT(must_be_fetched(g, at.piece, at.k_group));
    std::int64_t row = (at.piece - s.rank + s.world_size) % s.world_size;  // spanning tiles
    if (!g.spans) {
      std::int64_t begin = stage * g.stage_m_tiles;
      if (s.shard_m) begin = std::max(begin, g.num_m_tiles / s.world_size);
      row = position_of(g, at.piece) - begin;
    }
    std::int64_t column = at.k_group;
    if (!s.shard_m) {
      const std::int64_t shard = at.k_group / per_rank;
      const std::int64_t before = s.rotate ? (shard - s.rank + s.world_size) % s.world_size - 1
                                           : shard - (shard > s.rank ? 1 : 0);
      column = before * per_rank + at.k_group % per_rank;
    }
    RC_ASSERT(grouped_index(rows, columns, s.group_m, row, column) == i);
  }
}

RC_GTEST_PROP(LargeGrid, NeighbouringRangesTouch, ()) {
  const Grid g = make_grid(*random_large_spec());
  const auto touches = [](std::int64_t count, std::int64_t extent, auto range_of) {
    RC_ASSERT(range_of(0).begin == 0);
    RC_ASSERT(range_of(count - 1).end == extent);
    for (const std::int64_t i : sampled(count)) {
      RC_ASSERT(range_of(i).size() > 0);
      if (i > 0) RC_ASSERT(range_of(i - 1).end == range_of(i).begin);
    }
  };
  touches(g.num_m_tiles, g.spec.m, [&](std::int64_t i) { return m_tile_rows(g, i); });
  touches(g.num_n_tiles, g.spec.n, [&](std::int64_t i) { return n_tile_cols(g, i); });
  touches(g.num_k_groups, g.spec.k, [&](std::int64_t i) { return k_group_range(g, i); });
  touches(g.num_pieces, g.spec.m, [&](std::int64_t i) { return piece_rows(g, i); });
}

RC_GTEST_PROP(LargeGrid, FlagsAreInRowMajorOrder, ()) {
  const Grid g = make_grid(*random_large_spec());
  RC_ASSERT(num_flags(g) / g.num_k_groups == g.num_pieces);
  for (const std::int64_t i : sampled(num_flags(g))) {
    RC_ASSERT(flag_index(g, i / g.num_k_groups, i % g.num_k_groups) == i);
  }
}

}  // namespace
}  // namespace weft::schedule
