// SPDX-License-Identifier: Apache-2.0
// What the steps between two calls cost: barrier and reduction of two ranks.
#include <benchmark/benchmark.h>

#include "weft/world.hpp"

namespace {

constexpr int kSteps = 1000;

template <class Step>
void time_steps(benchmark::State& state, const Step& step) {
  weft::World world = weft::World::local(static_cast<std::int32_t>(state.range(0)), 1);
  for (auto _ : state) {
    world.run([&](weft::Rank& rank) {
      for (int i = 0; i < kSteps; ++i) step(rank);
    });
  }
  state.SetItemsProcessed(state.iterations() * kSteps);
}

void barrier(benchmark::State& state) {
  time_steps(state, [](weft::Rank& rank) { rank.barrier(); });
}
BENCHMARK(barrier)->ArgName("ranks")->Arg(1)->Arg(2)->UseRealTime();

void all_reduce_max(benchmark::State& state) {
  time_steps(state, [](weft::Rank& rank) { benchmark::DoNotOptimize(rank.all_reduce_max(1)); });
}
BENCHMARK(all_reduce_max)->ArgName("ranks")->Arg(1)->Arg(2)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
