// SPDX-License-Identifier: Apache-2.0
// The invariants of the schedule. Each check returns "" where the invariant holds, else one
// sentence that names the first violation. What is expected is derived from GridSpec by plain loops
// and divisions, never by the functions under test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/order.hpp"

namespace weft::schedule {

/// The functions under test, so that a deliberately broken one can take a place.
struct Order {
  Range (*rows)(const Grid&, std::int64_t) = &m_tile_rows;
  Range (*depth)(const Grid&, std::int64_t) = &k_group_range;
  std::int64_t (*flag)(const Grid&, std::int64_t, std::int64_t) = &flag_index;
  std::int64_t (*visit_m)(const Grid&, std::int64_t) = &m_visit;
  std::int64_t (*visit_k)(const Grid&, std::int64_t) = &k_visit;
  TileCoord (*tile)(const Grid&, std::int64_t) = &tile_order;
  FetchCoord (*fetch)(const Grid&, std::int64_t, std::int64_t) = &fetch_order;
};

/// m-tiles, n-tiles and k-groups cut [0,M), [0,N), [0,K) without gap or overlap, are full but for
/// the last of a shard or extent, and stay inside a shard (m-tiles: unless they span).
std::string check_cut(const Grid& g, const Order& order = {});

/// Pieces are whole m-tiles or whole shards; pieces_of_m_tile names those whose rows it reads;
/// owner and is_fetched say who holds a part and whether it must be copied.
std::string check_pieces(const Grid& g);

/// flag_index is a bijection from (piece, k_group) to [0, num_flags).
std::string check_flags(const Grid& g, const Order& order = {});

/// m_visit and k_visit are permutations that start with the own shard; k_visit rotates or is fixed.
std::string check_visits(const Grid& g, const Order& order = {});

/// shard_dim m: any prefix of the peers' tiles is spread evenly over the peers, next rank first.
std::string check_interleaving(const Grid& g, const Order& order = {});

/// Each output tile is computed once; stage sizes add up; stages come in order.
std::string check_tiles(const Grid& g, const Order& order = {});

/// Each part that must be copied is fetched once, over all stages, and no other part is.
std::string check_fetches(const Grid& g, const Order& order = {});

/// Each flag a tile waits for is raised by a fetch of the tile's stage or an earlier one. Presumes
/// check_tiles.
std::string check_waits(const Grid& g, const Order& order = {});

/// Tiles and fetches come exactly as the nested loops stage, group, column, row give them: a group
/// never crosses a stage, and the last group of a stage is narrower.
std::string check_groups(const Grid& g, const Order& order = {});

/// The first violation of all of the above.
std::string check_all(const Grid& g, const Order& order = {});

/// By plain loops: whether the part lies in a peer's shard or (spanning tiles) needs staging
/// anyway.
bool must_be_fetched(const Grid& g, std::int64_t piece, std::int64_t k_group);

/// By plain loops: the pieces with a row in common with `m_tile`.
std::vector<std::int64_t> pieces_read_by(const Grid& g, std::int64_t m_tile);

}  // namespace weft::schedule
