// SPDX-License-Identifier: Apache-2.0
// What a ticket costs: the tile or the fetch that stands at a place in the order.
#include <benchmark/benchmark.h>

#include "schedule/order.hpp"

namespace {

using namespace weft::schedule;

Grid make(bool shard_m) {
  return make_grid({.m = 131072,
                    .n = 16384,
                    .k = 16384,
                    .world_size = 8,
                    .rank = 3,
                    .shard_m = shard_m,
                    .tile_m = 256,
                    .tile_n = 256,
                    .tile_k = 64,
                    .group_m = 8,
                    .k_per_flag = 8,
                    .num_fetch_stages = 4});
}

void tile_of_ticket(benchmark::State& state) {
  const Grid g = make(state.range(0) != 0);
  std::int64_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(tile_order(g, i));
    i = i + 1 == num_tiles(g) ? 0 : i + 1;
  }
}
BENCHMARK(tile_of_ticket)->ArgName("shard_m")->Arg(0)->Arg(1);

void fetch_of_ticket(benchmark::State& state) {
  const Grid g = make(state.range(0) != 0);
  constexpr std::int64_t kStage = 1;
  std::int64_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(fetch_order(g, kStage, i));
    i = i + 1 == stage_fetches(g, kStage) ? 0 : i + 1;
  }
}
BENCHMARK(fetch_of_ticket)->ArgName("shard_m")->Arg(0)->Arg(1);

}  // namespace

BENCHMARK_MAIN();
