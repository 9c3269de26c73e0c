// SPDX-License-Identifier: Apache-2.0
// The f32 product that every variant, fused and unfused, is made of on a CPU. One of two files
// implements it: micro_kernel_onednn.cc or micro_kernel_portable.cc.
#pragma once

#include <cstdint>
#include <string>

namespace weft::cpu {

/// C[m,n] = A[m,k] * B[k,n], added to C when `accumulate` (else C is not read). Row-major; `*_t`:
/// that operand is stored transposed. Leading dimensions in elements.
struct Sgemm {
  bool a_t = false, b_t = false;
  std::int64_t m = 0, n = 0, k = 0;
  const float* a = nullptr;
  std::int64_t lda = 0;
  const float* b = nullptr;
  std::int64_t ldb = 0;
  bool accumulate = false;
  float* c = nullptr;
  std::int64_t ldc = 0;
};

/// Runs on `num_threads` threads, the caller's included.
void sgemm(const Sgemm& call, std::int32_t num_threads);

/// Name, version and instruction set: "oneDNN 2.6.3 (avx2)", "portable loop".
std::string micro_kernel_name();

/// Library and version alone, as entries record it: "oneDNN 2.6.3", "portable loop".
std::string micro_kernel_library();

/// True when a vendor library fell back to a generic kernel on this CPU: ratios against it flatter.
bool micro_kernel_is_generic();

}  // namespace weft::cpu
