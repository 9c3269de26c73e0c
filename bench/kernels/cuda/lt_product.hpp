// SPDX-License-Identifier: Apache-2.0
// cuBLASLt's best: every algorithm of its heuristics list, to be timed by the caller.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "weft/problem.hpp"

namespace weft::bench {

/// @throws Error kDeviceError naming the call and the error
void check(cudaError_t result, const char* call);
void check(cublasStatus_t result, const char* call);
#define WEFT_BENCH_CHECK(call) ::weft::bench::check(call, #call)

/// C = A * B for packed row-major 16-bit operands, f32 sums, world_size 1.
class LtProduct {
 public:
  explicit LtProduct(const Problem& problem);
  ~LtProduct();
  LtProduct(const LtProduct&) = delete;
  LtProduct& operator=(const LtProduct&) = delete;

  /// Algorithms that cuBLASLt proposes, best guess first.
  [[nodiscard]] std::size_t num_algorithms() const noexcept { return algorithms_.size(); }
  void run(std::size_t algorithm, const void* a, const void* b, void* c, cudaStream_t stream) const;

 private:
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms_;
  void* workspace_ = nullptr;
};

}  // namespace weft::bench
