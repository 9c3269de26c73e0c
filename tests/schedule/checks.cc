// SPDX-License-Identifier: Apache-2.0
#include "schedule/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace weft::schedule {
namespace {

using Indices = std::vector<std::int64_t>;

std::int64_t shard_rows(const GridSpec& s) { return s.shard_m ? s.m / s.world_size : s.m; }
std::int64_t shard_depth(const GridSpec& s) { return s.shard_m ? s.k : s.k / s.world_size; }
bool spanning(const GridSpec& s) {
  return s.shard_m && s.world_size > 1 && s.m / s.world_size < s.tile_m;
}

/// Ranges follow each other over [0, extent), none straddles a multiple of `shard`, and only the
/// last before such a multiple (or the end) is shorter than `step`.
template <class RangeOf>
std::string check_partition(std::string_view what, std::int64_t count, RangeOf range_of,
                            std::int64_t extent, std::int64_t shard, std::int64_t step) {
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Range r = range_of(i);
    if (r.begin != next || r.end <= r.begin) {
      return fmt::format("{} {} is [{}, {}), the one before ends at {}", what, i, r.begin, r.end,
                         next);
    }
    if (r.begin / shard != (r.end - 1) / shard) {
      return fmt::format("{} {} is [{}, {}), across shards of {}", what, i, r.begin, r.end, shard);
    }
    const bool is_last = r.end % shard == 0 || r.end == extent;
    if (r.size() > step || (r.size() < step && !is_last)) {
      return fmt::format("{} {} is [{}, {}), not {} long", what, i, r.begin, r.end, step);
    }
    next = r.end;
  }
  if (next != extent) return fmt::format("{}s end at {} of {}", what, next, extent);
  return "";
}

/// Values are [0, n) in any order.
std::string check_permutation(std::string_view what, Indices values) {
  const Indices shown = values;
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<std::int64_t>(i)) {
      return fmt::format("{} is no permutation: {}", what, fmt::join(shown, " "));
    }
  }
  return "";
}

/// k-groups in the order in which this rank uses them; without the own shard's if `peers_only`.
Indices expected_k_groups(const Grid& g, bool peers_only) {
  const GridSpec& s = g.spec;
  Indices groups;
  if (s.shard_m) {
    for (std::int64_t k = 0; k < g.num_k_groups; ++k) groups.push_back(k);
    return groups;
  }
  const std::int64_t per_shard = g.num_k_groups / s.world_size;
  for (std::int32_t i = 0; i < s.world_size; ++i) {
    const std::int32_t shard = s.rotate ? (s.rank + i) % s.world_size : i;
    if (peers_only && shard == s.rank) continue;
    for (std::int64_t k = 0; k < per_shard; ++k) groups.push_back(shard * per_shard + k);
  }
  return groups;
}

/// m-tiles in the order in which this rank visits them.
Indices expected_m_tiles(const Grid& g) {
  const GridSpec& s = g.spec;
  Indices tiles;
  if (!s.shard_m || spanning(s)) {
    const std::int64_t first = s.shard_m ? s.rank * shard_rows(s) / s.tile_m : 0;
    for (std::int64_t i = first; i < g.num_m_tiles; ++i) tiles.push_back(i);
    for (std::int64_t i = 0; i < first; ++i) tiles.push_back(i);
    return tiles;
  }
  const std::int64_t per_shard = g.num_m_tiles / s.world_size;
  for (std::int64_t j = 0; j < per_shard; ++j) tiles.push_back(s.rank * per_shard + j);
  for (std::int64_t j = 0; j < per_shard; ++j) {
    for (std::int32_t d = 1; d < s.world_size; ++d) {
      tiles.push_back((s.rank + d) % s.world_size * per_shard + j);
    }
  }
  return tiles;
}

/// Rows split in stages of equal width, the last one narrower.
std::vector<Indices> split(const Indices& all, std::int64_t parts) {
  const auto size = static_cast<std::int64_t>(all.size());
  const std::int64_t width = (size + parts - 1) / parts;
  std::vector<Indices> stages;
  for (std::int64_t i = 0; i < size; i += width) {
    stages.emplace_back(all.begin() + i, all.begin() + std::min(i + width, size));
  }
  return stages;
}

/// Calls visit(row, column) group by group, column by column, row by row.
template <class Visit>
void for_each_grouped(const Indices& rows, const Indices& columns, std::int64_t group,
                      Visit visit) {
  const auto size = static_cast<std::int64_t>(rows.size());
  for (std::int64_t first = 0; first < size; first += group) {
    const std::int64_t end = std::min(first + group, size);
    for (const std::int64_t column : columns) {
      for (std::int64_t i = first; i < end; ++i) visit(rows[i], column);
    }
  }
}

/// Stage in which each part (piece * num_k_groups + k_group) is fetched; -1 for never.
struct Fetched {
  Indices stage;
  std::string violation;
};

Fetched collect_fetches(const Grid& g, const Order& order) {
  Fetched fetched{Indices(g.num_pieces * g.num_k_groups, -1), ""};
  for (std::int64_t stage = 0; stage < g.num_stages; ++stage) {
    for (std::int64_t i = 0; i < stage_fetches(g, stage); ++i) {
      const FetchCoord at = order.fetch(g, stage, i);
      if (at.piece < 0 || at.piece >= g.num_pieces || at.k_group < 0 ||
          at.k_group >= g.num_k_groups) {
        fetched.violation = fmt::format("fetch {} of stage {} is (piece {}, k_group {}): no such",
                                        i, stage, at.piece, at.k_group);
        return fetched;
      }
      std::int64_t& when = fetched.stage[at.piece * g.num_k_groups + at.k_group];
      if (when >= 0) {
        fetched.violation = fmt::format("(piece {}, k_group {}) is fetched in stages {} and {}",
                                        at.piece, at.k_group, when, stage);
        return fetched;
      }
      when = stage;
    }
  }
  return fetched;
}

}  // namespace

bool must_be_fetched(const Grid& g, std::int64_t piece, std::int64_t k_group) {
  const GridSpec& s = g.spec;
  if (spanning(s)) return true;
  if (s.shard_m) return piece / (g.num_m_tiles / s.world_size) != s.rank;
  return k_group / (g.num_k_groups / s.world_size) != s.rank;
}

Indices pieces_read_by(const Grid& g, std::int64_t m_tile) {
  if (!spanning(g.spec)) return {m_tile};
  const std::int64_t begin = m_tile * g.spec.tile_m;
  const std::int64_t end = std::min(begin + g.spec.tile_m, g.spec.m);
  Indices pieces;
  for (std::int64_t rank = 0; rank < g.spec.world_size; ++rank) {
    if (rank * shard_rows(g.spec) < end && begin < (rank + 1) * shard_rows(g.spec)) {
      pieces.push_back(rank);
    }
  }
  return pieces;
}

std::string check_cut(const Grid& g, const Order& order) {
  const GridSpec& s = g.spec;
  std::string bad = check_partition(
      "m-tile", g.num_m_tiles, [&](std::int64_t i) { return order.rows(g, i); }, s.m,
      spanning(s) ? s.m : shard_rows(s), s.tile_m);
  if (!bad.empty()) return bad;
  bad = check_partition(
      "n-tile", g.num_n_tiles, [&](std::int64_t i) { return n_tile_cols(g, i); }, s.n, s.n,
      s.tile_n);
  if (!bad.empty()) return bad;
  return check_partition(
      "k-group", g.num_k_groups, [&](std::int64_t i) { return order.depth(g, i); }, s.k,
      shard_depth(s), std::int64_t{s.tile_k} * s.k_per_flag);
}

std::string check_pieces(const Grid& g) {
  const GridSpec& s = g.spec;
  std::string bad = check_partition(
      "piece", g.num_pieces, [&](std::int64_t i) { return piece_rows(g, i); }, s.m, shard_rows(s),
      spanning(s) ? shard_rows(s) : s.tile_m);
  if (!bad.empty()) return bad;
  for (std::int64_t m_tile = 0; m_tile < g.num_m_tiles; ++m_tile) {
    const Range pieces = pieces_of_m_tile(g, m_tile);
    const Range rows = m_tile_rows(g, m_tile);
    for (std::int64_t piece = 0; piece < g.num_pieces; ++piece) {
      const Range of = piece_rows(g, piece);
      const bool is_read = of.begin < rows.end && rows.begin < of.end;
      if (is_read != (pieces.begin <= piece && piece < pieces.end)) {
        return fmt::format("m-tile {} reads pieces [{}, {}), wrong for piece {}", m_tile,
                           pieces.begin, pieces.end, piece);
      }
    }
  }
  for (std::int64_t piece = 0; piece < g.num_pieces; ++piece) {
    for (std::int64_t k = 0; k < g.num_k_groups; ++k) {
      const std::int64_t holder = s.shard_m ? piece_rows(g, piece).begin / shard_rows(s)
                                            : k_group_range(g, k).begin / shard_depth(s);
      if (owner(g, piece, k) != holder) {
        return fmt::format("(piece {}, k_group {}) is held by rank {}, not {}", piece, k, holder,
                           owner(g, piece, k));
      }
      const bool is_copied = holder != s.rank || spanning(s);
      if (is_fetched(g, piece, k) != is_copied || must_be_fetched(g, piece, k) != is_copied) {
        return fmt::format("(piece {}, k_group {}) must{} be fetched", piece, k,
                           is_copied ? "" : " not");
      }
    }
  }
  return "";
}

std::string check_flags(const Grid& g, const Order& order) {
  Indices flags;
  for (std::int64_t piece = 0; piece < g.num_pieces; ++piece) {
    for (std::int64_t k = 0; k < g.num_k_groups; ++k) flags.push_back(order.flag(g, piece, k));
  }
  if (num_flags(g) != static_cast<std::int64_t>(flags.size())) {
    return fmt::format("num_flags is {}, not {}", num_flags(g), flags.size());
  }
  return check_permutation("flag_index", std::move(flags));
}

std::string check_visits(const Grid& g, const Order& order) {
  const GridSpec& s = g.spec;
  Indices m_tiles, k_groups;
  for (std::int64_t i = 0; i < g.num_m_tiles; ++i) m_tiles.push_back(order.visit_m(g, i));
  for (std::int64_t i = 0; i < g.num_k_groups; ++i) k_groups.push_back(order.visit_k(g, i));
  if (std::string bad = check_permutation("m_visit", m_tiles); !bad.empty()) return bad;
  if (std::string bad = check_permutation("k_visit", k_groups); !bad.empty()) return bad;
  if (s.shard_m) {
    const Range first = m_tile_rows(g, m_tiles.front());
    const std::int64_t own_row = s.rank * shard_rows(s);
    if (own_row < first.begin || own_row >= first.end) {
      return fmt::format("rank {} visits rows [{}, {}) first, not its own row {}", s.rank,
                         first.begin, first.end, own_row);
    }
    const std::int64_t own_tiles = spanning(s) ? 0 : g.num_m_tiles / s.world_size;
    for (std::int64_t i = 0; i < own_tiles; ++i) {
      if (m_tile_rows(g, m_tiles[i]).begin / shard_rows(s) != s.rank) {
        return fmt::format("m-tile {}, visited as number {}, is not the own", m_tiles[i], i);
      }
    }
  }
  if (k_groups != expected_k_groups(g, /*peers_only=*/false)) {
    return fmt::format("k_visit of rank {} is {}", s.rank, fmt::join(k_groups, " "));
  }
  return "";
}

std::string check_interleaving(const Grid& g, const Order& order) {
  const GridSpec& s = g.spec;
  if (!s.shard_m || spanning(s) || s.world_size == 1) return "";
  Indices visits(s.world_size, 0);
  const std::int64_t own_tiles = g.num_m_tiles / s.world_size;
  for (std::int64_t i = own_tiles; i < g.num_m_tiles; ++i) {
    const Range rows = m_tile_rows(g, order.visit_m(g, i));
    const std::int64_t peer = rows.begin / shard_rows(s);
    const std::int64_t expected =
        (s.rank + 1 + (i - own_tiles) % (s.world_size - 1)) % s.world_size;
    if (peer != expected) {
      return fmt::format("rank {} turns to rank {} at position {}, not to rank {}", s.rank, peer, i,
                         expected);
    }
    ++visits[peer];
    visits[s.rank] = visits[(s.rank + 1) % s.world_size];  // not a peer: may not count as fewest
    const auto [fewest, most] = std::minmax_element(visits.begin(), visits.end());
    if (*most - *fewest > 1) {
      return fmt::format("after position {} peers were visited {} times", i,
                         fmt::join(visits, " "));
    }
  }
  return "";
}

std::string check_tiles(const Grid& g, const Order& order) {
  Indices times(g.num_m_tiles * g.num_n_tiles, 0);
  if (num_tiles(g) != static_cast<std::int64_t>(times.size())) {
    return fmt::format("num_tiles is {}, not {}", num_tiles(g), times.size());
  }
  std::int64_t i = 0;
  for (std::int64_t stage = 0; stage < g.num_stages; ++stage) {
    if (stage_tiles(g, stage) < 1) return fmt::format("stage {} is empty", stage);
    for (std::int64_t in_stage = 0; in_stage < stage_tiles(g, stage); ++in_stage, ++i) {
      if (i >= num_tiles(g)) return fmt::format("stages hold more than {} tiles", num_tiles(g));
      if (stage_of_tile(g, i) != stage) {
        return fmt::format("tile number {} is in stage {}, not {}", i, stage, stage_of_tile(g, i));
      }
      const TileCoord at = order.tile(g, i);
      if (at.m_tile < 0 || at.m_tile >= g.num_m_tiles || at.n_tile < 0 ||
          at.n_tile >= g.num_n_tiles) {
        return fmt::format("tile number {} is ({}, {}): no such", i, at.m_tile, at.n_tile);
      }
      if (++times[at.m_tile * g.num_n_tiles + at.n_tile] > 1) {
        return fmt::format("tile ({}, {}) is computed twice", at.m_tile, at.n_tile);
      }
    }
  }
  if (i != num_tiles(g)) return fmt::format("stages hold {} of {} tiles", i, num_tiles(g));
  return "";
}

std::string check_fetches(const Grid& g, const Order& order) {
  const Fetched fetched = collect_fetches(g, order);
  if (!fetched.violation.empty()) return fetched.violation;
  for (std::int64_t piece = 0; piece < g.num_pieces; ++piece) {
    for (std::int64_t k = 0; k < g.num_k_groups; ++k) {
      const bool was_fetched = fetched.stage[piece * g.num_k_groups + k] >= 0;
      if (was_fetched != must_be_fetched(g, piece, k)) {
        return fmt::format("(piece {}, k_group {}) was{} fetched", piece, k,
                           was_fetched ? " needlessly" : " never");
      }
    }
  }
  return "";
}

std::string check_waits(const Grid& g, const Order& order) {
  const Fetched fetched = collect_fetches(g, order);
  if (!fetched.violation.empty()) return fetched.violation;
  std::vector<bool> seen(g.num_m_tiles, false);
  for (std::int64_t i = 0; i < num_tiles(g); ++i) {
    const std::int64_t m_tile = order.tile(g, i).m_tile;
    if (seen[m_tile]) continue;  // its first tile runs in the earliest stage
    seen[m_tile] = true;
    for (const std::int64_t piece : pieces_read_by(g, m_tile)) {
      for (std::int64_t k = 0; k < g.num_k_groups; ++k) {
        if (!must_be_fetched(g, piece, k)) continue;
        const std::int64_t when = fetched.stage[piece * g.num_k_groups + k];
        if (when < 0 || when > stage_of_tile(g, i)) {
          return fmt::format("m-tile {} of stage {} waits for (piece {}, k_group {}) of stage {}",
                             m_tile, stage_of_tile(g, i), piece, k, when);
        }
      }
    }
  }
  return "";
}

std::string check_groups(const Grid& g, const Order& order) {
  const GridSpec& s = g.spec;
  const std::vector<Indices> stages = split(expected_m_tiles(g), s.num_fetch_stages);
  if (static_cast<std::int64_t>(stages.size()) != g.num_stages) {
    return fmt::format("num_stages is {}, not {}", g.num_stages, stages.size());
  }
  Indices columns;
  for (std::int64_t n = 0; n < g.num_n_tiles; ++n) columns.push_back(n);
  const Indices peer_k_groups = expected_k_groups(g, /*peers_only=*/true);
  std::string bad;
  std::int64_t tile = 0;
  for (std::int64_t stage = 0; stage < g.num_stages; ++stage) {
    for_each_grouped(stages[stage], columns, s.group_m, [&](std::int64_t m, std::int64_t n) {
      const TileCoord at = order.tile(g, tile);
      if (bad.empty() && at != TileCoord{m, n}) {
        bad = fmt::format("tile number {} is ({}, {}), not ({}, {})", tile, at.m_tile, at.n_tile, m,
                          n);
      }
      ++tile;
    });
    Indices pieces = stages[stage];
    if (spanning(s)) {
      pieces.clear();
      for (std::int32_t d = 0; stage == 0 && d < s.world_size; ++d) {
        pieces.push_back((s.rank + d) % s.world_size);
      }
    } else if (s.shard_m) {
      std::erase_if(pieces, [&](std::int64_t piece) { return !must_be_fetched(g, piece, 0); });
    }
    std::int64_t fetch = 0;
    for_each_grouped(pieces, peer_k_groups, s.group_m, [&](std::int64_t piece, std::int64_t k) {
      const FetchCoord at = order.fetch(g, stage, fetch);
      if (bad.empty() && at != FetchCoord{piece, k}) {
        bad = fmt::format("fetch {} of stage {} is ({}, {}), not ({}, {})", fetch, stage, at.piece,
                          at.k_group, piece, k);
      }
      ++fetch;
    });
    if (bad.empty() && fetch != stage_fetches(g, stage)) {
      bad = fmt::format("stage {} has {} fetches, not {}", stage, stage_fetches(g, stage), fetch);
    }
  }
  return bad;
}

std::string check_all(const Grid& g, const Order& order) {
  const auto pieces = [](const Grid& grid, const Order&) { return check_pieces(grid); };
  using Check = std::string (*)(const Grid&, const Order&);
  for (const Check check : {Check{check_cut}, Check{pieces}, Check{check_flags},
                            Check{check_visits}, Check{check_interleaving}, Check{check_tiles},
                            Check{check_fetches}, Check{check_waits}, Check{check_groups}}) {
    if (std::string bad = check(g, order); !bad.empty()) return bad;
  }
  return "";
}

}  // namespace weft::schedule
