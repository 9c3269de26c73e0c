// SPDX-License-Identifier: Apache-2.0
// Rate of the micro-kernel at the tiles that candidates use, on one thread.
#include <benchmark/benchmark.h>

#include <vector>

#include "kernels/cpu/micro_kernel.hpp"
#include "ops/operands.hpp"

namespace {

void sgemm_tile(benchmark::State& state) {
  const std::int64_t m = state.range(0);
  const std::int64_t n = state.range(1);
  const std::int64_t k = state.range(2);
  std::vector<float> a(static_cast<std::size_t>(m * k));
  std::vector<float> b(static_cast<std::size_t>(k * n));
  std::vector<float> c(static_cast<std::size_t>(m * n));
  weft::ops::fill_random(weft::DType::kF32, std::as_writable_bytes(std::span(a)), 1);
  weft::ops::fill_random(weft::DType::kF32, std::as_writable_bytes(std::span(b)), 2);
  const weft::cpu::Sgemm call{.m = m,
                              .n = n,
                              .k = k,
                              .a = a.data(),
                              .lda = k,
                              .b = b.data(),
                              .ldb = n,
                              .c = c.data(),
                              .ldc = n};
  for (auto _ : state) weft::cpu::sgemm(call, 1);
  state.SetLabel(weft::cpu::micro_kernel_name());
  state.counters["GFLOP/s"] = benchmark::Counter(
      2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
      benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(sgemm_tile)
    ->ArgNames({"m", "n", "k"})
    ->Args({256, 256, 256})
    ->Args({256, 1024, 256})
    ->Args({256, 1024, 2048})
    ->Args({1024, 1024, 2048})
    ->Args({1024, 32, 1024})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
