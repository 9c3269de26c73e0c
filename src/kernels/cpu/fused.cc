// SPDX-License-Identifier: Apache-2.0
// direct: every worker takes tiles. staged: workers below the fetcher count copy parts of A first.
//
//   fewer fetchers than workers:  fetchers |f f f f f f|c c c      all workers fetch:  f0 f0 c0 c0
//                                 others   |c . c c c c c c c                          f1 c1 ...
#include "kernels/cpu/tile.hpp"
#include "kernels/cpu/workers.hpp"

namespace weft::cpu {
namespace {

using schedule::Grid;

// Hands out [0, end) once; -1 when nothing is left below `end`.
std::int64_t take(std::atomic<std::int64_t>& next, std::int64_t end) {
  std::int64_t i = next.load();
  while (i < end && !next.compare_exchange_weak(i, i + 1)) {
  }
  return i < end ? i : -1;
}

void compute_stages(const Call& call, TileWorker& worker, std::int64_t end_stage) {
  const Grid& g = call.grid;
  const std::int64_t end = end_stage == g.num_stages ? schedule::num_tiles(g)
                                                     : end_stage * g.stage_m_tiles * g.num_n_tiles;
  for (;;) {
    const std::int64_t i = take(call.tickets->next_tile, end);
    if (i < 0) return;
    worker.compute(schedule::tile_order(g, i));
  }
}

// Takes fetches up to the end of `stage`. A worker that joins late also helps earlier stages.
void fetch_stage(const Call& call, TileWorker& worker, std::int64_t stage) {
  const Grid& g = call.grid;
  std::int64_t end = 0;
  for (std::int64_t s = 0; s <= stage; ++s) end += schedule::stage_fetches(g, s);
  for (;;) {
    const std::int64_t ticket = take(call.tickets->next_fetch, end);
    if (ticket < 0) return;
    std::int64_t at = 0, i = ticket;
    while (i >= schedule::stage_fetches(g, at)) i -= schedule::stage_fetches(g, at++);
    worker.fetch(schedule::fetch_order(g, at, i));
    if (call.tickets->fetches_left.fetch_sub(1) == 1 && call.gathered_a.data == nullptr) {
      signal_done(call);
    }
  }
}

void run_staged(const Call& call, TileWorker& worker, std::int32_t index) {
  const Grid& g = call.grid;
  const auto fetches = [&](std::int64_t stage) {
    return index < schedule::num_fetchers(stage, call.first_stage_fetchers, call.later_fetchers);
  };
  const bool all_fetch = call.later_fetchers >= call.threads;
  for (std::int64_t stage = 0; stage < g.num_stages; ++stage) {
    if (fetches(stage)) fetch_stage(call, worker, stage);
    if (all_fetch) compute_stages(call, worker, stage + 1);
  }
  compute_stages(call, worker, g.num_stages);
}

}  // namespace

void fused_worker(const Call& call, std::int32_t index) {
  TileWorker worker(call, index);
  worker.widen_b();
  if (call.staged) {
    run_staged(call, worker, index);
  } else {
    compute_stages(call, worker, call.grid.num_stages);
  }
  if (call.gathered_a.data != nullptr) {
    gather_worker(call, in_place_target(call, call.gathered_a), index);
  }
}

}  // namespace weft::cpu
