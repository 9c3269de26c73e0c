// SPDX-License-Identifier: Apache-2.0
// What a choice costs: a warm look-up must stay under 1 us, the first one of a shape under 50 us.
#include <benchmark/benchmark.h>

#include <memory>

#include "weft/select.hpp"

namespace {

weft::Problem problem(std::int64_t m) {
  return {.m = m, .n = 16384, .k = 16384, .world_size = 8, .dtype = weft::DType::kF16};
}

std::shared_ptr<weft::ConfigDatabase> shipped() {
  static const auto database = weft::ConfigDatabase::open({}, true);
  return database;
}

void warm_look_up(benchmark::State& state) {
  const weft::Arch arch = weft::parse_arch("mi300x");
  weft::Selector selector(shipped(), arch, weft::default_link(arch), {}, {});
  const weft::Problem p = problem(131072);
  for (auto _ : state) benchmark::DoNotOptimize(selector.select(p));
}
BENCHMARK(warm_look_up);

/// The file is read already; every rung is asked.
void first_miss(benchmark::State& state) {
  const weft::Arch arch = weft::parse_arch("mi300x");
  weft::Selector selector(shipped(), arch, weft::default_link(arch), {}, {});
  (void)selector.select(problem(131072));
  std::int64_t m = 8;
  for (auto _ : state) benchmark::DoNotOptimize(selector.select(problem(m += 8)));
}
BENCHMARK(first_miss);

}  // namespace

BENCHMARK_MAIN();
