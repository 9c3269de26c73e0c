// SPDX-License-Identifier: Apache-2.0
// How M, N and K are cut into tiles, and which flag publishes which part of A. Host and device.
//
//            K: k-groups never straddle shards                shard_dim m: m-tiles never straddle
//          shard 0      shard 1                               shards while M/world_size >= tile_m;
//   M  +---+---+--+---+---+--+   flag (piece, k_group)        below that a tile spans shards, and
//      | 0 | 1 | 2| 3 | 4 | 5|   covers k_per_flag k-tiles    one piece is one whole shard
//      +---+---+--+---+---+--+   of one piece
//
// A *piece* is the rows that one flag speaks for: one m-tile, or (spanning tiles) one rank's rows.
#pragma once

#include <cstdint>

#include "kernels/shared/portability.hpp"

namespace weft::schedule {

/// What the grid is made from. Extents in elements, all >= 1; k or m is divisible by world_size.
struct GridSpec {
  std::int64_t m = 1, n = 1, k = 1;  ///< extents of the product after the gather
  std::int32_t world_size = 1;
  std::int32_t rank = 0;  ///< whose schedule this is
  bool shard_m = false;   ///< shard_dim m (else k)
  bool rotate = true;     ///< k-order starts at the own shard (else 0 ... world_size-1)
  std::int32_t tile_m = 1, tile_n = 1, tile_k = 1;
  std::int32_t group_m = 1;           ///< m-tiles walked before the next n-tile
  std::int32_t k_per_flag = 1;        ///< k-tiles a flag publishes; clipped to the shard
  std::int32_t num_fetch_stages = 1;  ///< stages that the m-tiles are split into
};

/// Half-open range of indices.
struct Range {
  std::int64_t begin = 0, end = 0;
  WEFT_HD constexpr std::int64_t size() const { return end - begin; }
  WEFT_HD friend constexpr bool operator==(const Range&, const Range&) = default;
};

WEFT_HD constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
WEFT_HD constexpr std::int64_t min64(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
WEFT_HD constexpr std::int64_t max64(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

/// The cut. All counts are derived once.
struct Grid {
  GridSpec spec;
  std::int64_t m_local = 0, k_local = 0;  ///< extents of one shard
  bool spans = false;                     ///< an m-tile covers rows of several ranks
  std::int64_t m_tiles_per_shard = 0;     ///< 0 when tiles span, or with shard_dim k
  std::int64_t num_m_tiles = 0, num_n_tiles = 0;
  std::int64_t num_pieces = 0;          ///< rows of the flag array
  std::int64_t k_groups_per_shard = 0;  ///< shard_dim m: of the whole K
  std::int64_t num_k_groups = 0;        ///< columns of the flag array
  std::int64_t stage_m_tiles = 0;       ///< m-tiles a stage; the last stage may have fewer
  std::int64_t num_stages = 0;          ///< stages that hold at least one m-tile
};

WEFT_HD constexpr Grid make_grid(const GridSpec& s) {
  Grid g;
  g.spec = s;
  g.m_local = s.shard_m ? s.m / s.world_size : s.m;
  g.k_local = s.shard_m ? s.k : s.k / s.world_size;
  g.spans = s.shard_m && g.m_local < s.tile_m && s.world_size > 1;
  g.m_tiles_per_shard = s.shard_m && !g.spans ? ceil_div(g.m_local, s.tile_m) : 0;
  g.num_m_tiles =
      g.m_tiles_per_shard > 0 ? g.m_tiles_per_shard * s.world_size : ceil_div(s.m, s.tile_m);
  g.num_n_tiles = ceil_div(s.n, s.tile_n);
  g.num_pieces = g.spans ? s.world_size : g.num_m_tiles;
  g.k_groups_per_shard = ceil_div(ceil_div(g.k_local, s.tile_k), s.k_per_flag);
  g.num_k_groups = s.shard_m ? g.k_groups_per_shard : g.k_groups_per_shard * s.world_size;
  g.stage_m_tiles = ceil_div(g.num_m_tiles, s.num_fetch_stages);
  g.num_stages = ceil_div(g.num_m_tiles, g.stage_m_tiles);
  return g;
}

/// Number of flags, and of output tiles.
WEFT_HD constexpr std::int64_t num_flags(const Grid& g) { return g.num_pieces * g.num_k_groups; }
WEFT_HD constexpr std::int64_t num_tiles(const Grid& g) { return g.num_m_tiles * g.num_n_tiles; }

/// Rows of C that m-tile `m_tile` covers, in global rows.
WEFT_HD constexpr Range m_tile_rows(const Grid& g, std::int64_t m_tile) {
  if (g.m_tiles_per_shard == 0) {
    const std::int64_t begin = m_tile * g.spec.tile_m;
    return {begin, min64(begin + g.spec.tile_m, g.spec.m)};
  }
  const std::int64_t shard_begin = m_tile / g.m_tiles_per_shard * g.m_local;
  const std::int64_t begin = shard_begin + m_tile % g.m_tiles_per_shard * g.spec.tile_m;
  return {begin, min64(begin + g.spec.tile_m, shard_begin + g.m_local)};
}

/// Columns of C that n-tile `n_tile` covers.
WEFT_HD constexpr Range n_tile_cols(const Grid& g, std::int64_t n_tile) {
  const std::int64_t begin = n_tile * g.spec.tile_n;
  return {begin, min64(begin + g.spec.tile_n, g.spec.n)};
}

/// Global K indices that k-group `k_group` covers. Never straddles shards.
WEFT_HD constexpr Range k_group_range(const Grid& g, std::int64_t k_group) {
  const std::int64_t depth = std::int64_t{g.spec.tile_k} * g.spec.k_per_flag;
  const std::int64_t shard_begin = k_group / g.k_groups_per_shard * g.k_local;
  const std::int64_t begin = shard_begin + k_group % g.k_groups_per_shard * depth;
  return {begin, min64(begin + depth, shard_begin + g.k_local)};
}

/// Global rows of a piece.
WEFT_HD constexpr Range piece_rows(const Grid& g, std::int64_t piece) {
  if (g.spans) return {piece * g.m_local, (piece + 1) * g.m_local};
  return m_tile_rows(g, piece);
}

/// Pieces whose rows m-tile `m_tile` reads.
WEFT_HD constexpr Range pieces_of_m_tile(const Grid& g, std::int64_t m_tile) {
  if (!g.spans) return {m_tile, m_tile + 1};
  const Range rows = m_tile_rows(g, m_tile);
  return {rows.begin / g.m_local, ceil_div(rows.end, g.m_local)};
}

/// The rank whose shard holds this part of A.
WEFT_HD constexpr std::int32_t owner(const Grid& g, std::int64_t piece, std::int64_t k_group) {
  if (!g.spec.shard_m) return static_cast<std::int32_t>(k_group / g.k_groups_per_shard);
  if (g.spans) return static_cast<std::int32_t>(piece);
  return static_cast<std::int32_t>(piece / g.m_tiles_per_shard);
}

/// Whether the part must be copied to staging: remote parts, and with spanning tiles all of them.
WEFT_HD constexpr bool is_fetched(const Grid& g, std::int64_t piece, std::int64_t k_group) {
  return g.spans || owner(g, piece, k_group) != g.spec.rank;
}

/// The flag that publishes `k_group` of `piece`: a bijection on [0, num_flags).
WEFT_HD constexpr std::int64_t flag_index(const Grid& g, std::int64_t piece, std::int64_t k_group) {
  return piece * g.num_k_groups + k_group;
}

}  // namespace weft::schedule
