// SPDX-License-Identifier: Apache-2.0
// Plain C++: machines without oneDNN, and sanitizer builds, where every access is instrumented.
#include <algorithm>
#include <array>

#include "kernels/cpu/micro_kernel.hpp"

namespace weft::cpu {
namespace {

// Rows and columns of C kept in registers, and the depth after which they are written back.
constexpr std::int64_t kRows = 4;
constexpr std::int64_t kCols = 16;
constexpr std::int64_t kDepth = 256;

struct Strides {
  std::int64_t row, col;
};

// One block of at most kRows x kCols of C over at most kDepth of K.
void block(const Sgemm& call, Strides a, Strides b, std::int64_t i0, std::int64_t j0,
           std::int64_t k0, std::int64_t k1, bool accumulate) {
  const std::int64_t rows = std::min(kRows, call.m - i0);
  const std::int64_t cols = std::min(kCols, call.n - j0);
  std::array<std::array<float, kCols>, kRows> sum{};
  for (std::int64_t k = k0; k < k1; ++k) {
    std::array<float, kCols> b_row{};
    for (std::int64_t j = 0; j < cols; ++j) {
      b_row[static_cast<std::size_t>(j)] = call.b[k * b.row + (j0 + j) * b.col];
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      const float a_ik = call.a[(i0 + i) * a.row + k * a.col];
      auto& sum_i = sum[static_cast<std::size_t>(i)];
      for (std::size_t j = 0; j < kCols; ++j) sum_i[j] += a_ik * b_row[j];
    }
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    float* c = call.c + (i0 + i) * call.ldc + j0;
    const auto& sum_i = sum[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < cols; ++j) {
      c[j] = accumulate ? c[j] + sum_i[static_cast<std::size_t>(j)]
                        : sum_i[static_cast<std::size_t>(j)];
    }
  }
}

}  // namespace

void sgemm(const Sgemm& call, std::int32_t /*num_threads*/) {
  const Strides a = call.a_t ? Strides{1, call.lda} : Strides{call.lda, 1};
  const Strides b = call.b_t ? Strides{1, call.ldb} : Strides{call.ldb, 1};
  for (std::int64_t k0 = 0; k0 < call.k; k0 += kDepth) {
    const std::int64_t k1 = std::min(k0 + kDepth, call.k);
    for (std::int64_t j0 = 0; j0 < call.n; j0 += kCols) {
      for (std::int64_t i0 = 0; i0 < call.m; i0 += kRows) {
        block(call, a, b, i0, j0, k0, k1, call.accumulate || k0 > 0);
      }
    }
  }
}

std::string micro_kernel_library() { return "portable loop"; }
std::string micro_kernel_name() { return micro_kernel_library(); }
bool micro_kernel_is_generic() { return false; }

}  // namespace weft::cpu
