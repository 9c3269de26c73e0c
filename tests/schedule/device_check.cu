// SPDX-License-Identifier: Apache-2.0
// Uses every function of the schedule in device code, so that nvcc compiles all of them; the
// target device_check builds it. What they return is tested on the host.
#include "schedule/order.hpp"

namespace weft::schedule {

constexpr GridSpec kSpec{512, 256, 1024, 4, 1, false, true, 128, 128, 64, 2, 4, 2};
static_assert(num_tiles(make_grid(kSpec)) == 8, "nvcc evaluates the schedule at compile time");

/// One thread per tile or fetch; `out` takes a word of each, so that nothing is optimised away.
__global__ void device_check(GridSpec spec, std::int32_t first_fetchers, std::int32_t fetchers,
                             std::int64_t* out) {
  const Grid g = make_grid(spec);
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::int64_t word = 0;
  if (i < num_tiles(g)) {
    const TileCoord tile = tile_order(g, i);
    const std::int64_t stage = stage_of_tile(g, i);
    const Range pieces = pieces_of_m_tile(g, tile.m_tile);
    const std::int64_t k_group = k_visit(g, i % g.num_k_groups);
    word += m_tile_rows(g, tile.m_tile).size() + n_tile_cols(g, tile.n_tile).size() +
            k_group_range(g, k_group).size() + piece_rows(g, pieces.begin).size() +
            owner(g, pieces.begin, k_group) + is_fetched(g, pieces.begin, k_group) +
            flag_index(g, pieces.begin, k_group) + stage_tiles(g, stage) +
            num_fetchers(stage, first_fetchers, fetchers);
  }
  if (i < num_flags(g) && i < stage_fetches(g, 0)) {
    const FetchCoord fetch = fetch_order(g, 0, i);
    word += flag_index(g, fetch.piece, fetch.k_group);
  }
  out[i] = word;
}

}  // namespace weft::schedule
