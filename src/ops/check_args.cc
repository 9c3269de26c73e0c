// SPDX-License-Identifier: Apache-2.0
#include "ops/check_args.hpp"

#include <cstdint>
#include <limits>
#include <string_view>

#include "core/message.hpp"

namespace weft::ops {
namespace {

struct Operand {
  std::string_view name, ld_name;
  const void* data;
  std::int64_t rows, cols;  // as stored
};

// Checks one matrix and returns its leading dimension.
std::int64_t check_matrix(const Operand& x, std::int64_t ld, std::int64_t element) {
  if (x.data == nullptr) {
    throw invalid_argument("{} is null; pass a pointer to its {} x {} elements", x.name, x.rows,
                           x.cols);
  }
  if (reinterpret_cast<std::uintptr_t>(x.data) % static_cast<std::uintptr_t>(element) != 0) {
    throw invalid_argument("{}={} is not aligned to its {}-byte elements", x.name, x.data, element);
  }
  if (ld == 0) return x.cols;
  if (ld < x.cols) {
    throw invalid_argument("{}={} is smaller than a row of {} ({} elements); 0 means packed",
                           x.ld_name, ld, x.name, x.cols);
  }
  if (x.rows > std::numeric_limits<std::int64_t>::max() / element / ld) {
    throw invalid_argument("{}={} with {} rows of {} overflows 64-bit byte counts", x.ld_name, ld,
                           x.rows, x.name);
  }
  return ld;
}

bool overlap(const void* a, std::int64_t a_bytes, const void* b, std::int64_t b_bytes) {
  const auto a0 = reinterpret_cast<std::uintptr_t>(a), b0 = reinterpret_cast<std::uintptr_t>(b);
  return a0 < b0 + static_cast<std::uintptr_t>(b_bytes) &&
         b0 < a0 + static_cast<std::uintptr_t>(a_bytes);
}

}  // namespace

RunArgs checked_args(const Problem& p, const RunArgs& args) {
  RunArgs r = args;
  const std::int64_t element = element_bytes(p.dtype);
  const bool a_t = a_transposed(p.layout), b_t = b_transposed(p.layout);
  const std::int64_t a_rows = a_t ? p.k_local() : p.m_local();
  const std::int64_t b_rows = b_t ? p.n : p.k;
  r.lda = check_matrix({"a_shard", "lda", r.a_shard, a_rows, p.min_lda()}, r.lda, element);
  r.ldb = check_matrix({"b", "ldb", r.b, b_rows, p.min_ldb()}, r.ldb, element);
  r.ldc = check_matrix({"c", "ldc", r.c, p.m, p.n}, r.ldc, element);
  if (p.has_bias) {
    check_matrix({"bias", "bias", r.bias, 1, p.n}, 0, element);
  } else if (r.bias != nullptr) {
    throw invalid_argument("bias is given but problem.has_bias is false; set it or pass null");
  }
  const std::int64_t g_rows = a_t ? p.k : p.m;
  if (p.return_gathered_a) {
    r.ldg = check_matrix({"gathered_a", "ldg", r.gathered_a, g_rows, p.min_ldg()}, r.ldg, element);
  } else if (r.gathered_a != nullptr) {
    throw invalid_argument(
        "gathered_a is given but problem.return_gathered_a is false; set it or "
        "pass null");
  }
  if (r.stream != nullptr) {
    throw invalid_argument("stream={} must be null: this World's ranks run on the CPU", r.stream);
  }
  // Rows of strided matrices may interleave in one buffer, so only packed ones are compared.
  const struct {
    std::string_view name;
    const void* data;
    std::int64_t bytes;
    bool packed;
  } inputs[] = {{"a_shard", r.a_shard, a_rows * r.lda * element, r.lda == p.min_lda()},
                {"b", r.b, b_rows * r.ldb * element, r.ldb == p.min_ldb()},
                {"bias", r.bias, p.n * element, true}};
  for (const auto& input : inputs) {
    const bool comparable = input.data != nullptr && input.packed && r.ldc == p.n;
    if (comparable && overlap(r.c, p.m * p.n * element, input.data, input.bytes)) {
      throw invalid_argument("c overlaps {}; give C memory of its own", input.name);
    }
  }
  return r;
}

}  // namespace weft::ops
