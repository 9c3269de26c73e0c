// SPDX-License-Identifier: Apache-2.0
// Row-major C = A * B is column-major C^T = B^T * A^T, so cuBLASLt gets B first.
#include "lt_product.hpp"

#include "core/message.hpp"

namespace weft::bench {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;
constexpr int kAsked = 16;

cublasLtMatrixLayout_t layout(cudaDataType_t type, std::int64_t stored_rows,
                              std::int64_t stored_cols) {
  cublasLtMatrixLayout_t l = nullptr;
  WEFT_BENCH_CHECK(cublasLtMatrixLayoutCreate(&l, type, static_cast<std::uint64_t>(stored_cols),
                                              static_cast<std::uint64_t>(stored_rows),
                                              stored_cols));
  return l;
}

}  // namespace

void check(cudaError_t result, const char* call) {
  if (result != cudaSuccess) throw device_error("{}: {}", call, cudaGetErrorString(result));
}
void check(cublasStatus_t result, const char* call) {
  if (result != CUBLAS_STATUS_SUCCESS) {
    throw device_error("{}: {}", call, cublasLtGetStatusString(result));
  }
}

LtProduct::LtProduct(const Problem& p) {
  WEFT_BENCH_CHECK(cublasLtCreate(&handle_));
  WEFT_BENCH_CHECK(cudaMalloc(&workspace_, kWorkspaceBytes));
  const cudaDataType_t type = p.dtype == DType::kF16 ? CUDA_R_16F : CUDA_R_16BF;
  const bool a_t = a_transposed(p.layout), b_t = b_transposed(p.layout);
  const cublasOperation_t op_b = b_t ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_a = a_t ? CUBLAS_OP_T : CUBLAS_OP_N;
  WEFT_BENCH_CHECK(cublasLtMatmulDescCreate(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  WEFT_BENCH_CHECK(
      cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_TRANSA, &op_b, sizeof op_b));
  WEFT_BENCH_CHECK(
      cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_TRANSB, &op_a, sizeof op_a));
  b_ = b_t ? layout(type, p.n, p.k) : layout(type, p.k, p.n);
  a_ = a_t ? layout(type, p.k, p.m) : layout(type, p.m, p.k);
  c_ = layout(type, p.m, p.n);
  cublasLtMatmulPreference_t preference = nullptr;
  WEFT_BENCH_CHECK(cublasLtMatmulPreferenceCreate(&preference));
  WEFT_BENCH_CHECK(cublasLtMatmulPreferenceSetAttribute(preference,
                                                        CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                        &kWorkspaceBytes, sizeof kWorkspaceBytes));
  algorithms_.resize(kAsked);
  int found = 0;
  WEFT_BENCH_CHECK(cublasLtMatmulAlgoGetHeuristic(handle_, product_, b_, a_, c_, c_, preference,
                                                  kAsked, algorithms_.data(), &found));
  algorithms_.resize(static_cast<std::size_t>(found));
  cublasLtMatmulPreferenceDestroy(preference);
}

LtProduct::~LtProduct() {
  cudaFree(workspace_);
  cublasLtMatrixLayoutDestroy(a_);
  cublasLtMatrixLayoutDestroy(b_);
  cublasLtMatrixLayoutDestroy(c_);
  cublasLtMatmulDescDestroy(product_);
  cublasLtDestroy(handle_);
}

void LtProduct::run(std::size_t algorithm, const void* a, const void* b, void* c,
                    cudaStream_t stream) const {
  const float one = 1, zero = 0;
  WEFT_BENCH_CHECK(cublasLtMatmul(handle_, product_, &one, b, b_, a, a_, &zero, c, c_, c, c_,
                                  &algorithms_[algorithm].algo, workspace_, kWorkspaceBytes,
                                  stream));
}

}  // namespace weft::bench
