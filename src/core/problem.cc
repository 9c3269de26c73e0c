// SPDX-License-Identifier: Apache-2.0
#include "weft/problem.hpp"

#include <limits>

#include "core/words.hpp"

namespace weft {
namespace {

constexpr WordTable<DType, 4> kDTypes{{{DType::kF32, "f32"},
                                       {DType::kBf16, "bf16"},
                                       {DType::kF16, "f16"},
                                       {DType::kFp8E4m3, "fp8_e4m3"}}};
constexpr WordTable<Layout, 4> kLayouts{
    {{Layout::kNN, "nn"}, {Layout::kNT, "nt"}, {Layout::kTN, "tn"}, {Layout::kTT, "tt"}}};
constexpr WordTable<ShardDim, 2> kShardDims{{{ShardDim::kM, "m"}, {ShardDim::kK, "k"}}};

constexpr std::int32_t kMaxWorldSize = 1024;

void check_positive(std::string_view name, std::int64_t value) {
  if (value <= 0) throw invalid_argument("{}={} must be at least 1", name, value);
}

void check_bytes(std::string_view name, std::int64_t rows, std::int64_t cols, std::int64_t size) {
  const std::int64_t limit = std::numeric_limits<std::int64_t>::max() / size;
  if (rows > limit / cols) {
    throw invalid_argument(
        "{} with {} x {} elements of {} bytes overflows 64-bit byte counts; "
        "make the problem smaller",
        name, rows, cols, size);
  }
}

}  // namespace

std::string_view to_string(DType dtype) noexcept { return word_of(kDTypes, dtype); }
std::string_view to_string(Layout layout) noexcept { return word_of(kLayouts, layout); }
std::string_view to_string(ShardDim shard_dim) noexcept { return word_of(kShardDims, shard_dim); }

DType parse_dtype(std::string_view text) { return parse_word(kDTypes, "dtype", text); }
Layout parse_layout(std::string_view text) { return parse_word(kLayouts, "layout", text); }
ShardDim parse_shard_dim(std::string_view text) {
  return parse_word(kShardDims, "shard_dim", text);
}

std::int64_t element_bytes(DType dtype) noexcept {
  switch (dtype) {
    case DType::kF32: return 4;
    case DType::kBf16:
    case DType::kF16: return 2;
    case DType::kFp8E4m3: return 1;
  }
  return 0;
}

void check_problem(const Problem& p) {
  check_positive("M", p.m);
  check_positive("N", p.n);
  check_positive("K", p.k);
  if (p.world_size < 1 || p.world_size > kMaxWorldSize) {
    throw invalid_argument("world_size={} must be 1 to {}", p.world_size, kMaxWorldSize);
  }
  // f32 staging and widening buffers are the largest copies that any path makes.
  constexpr std::int64_t kLargestElement = 4;
  check_bytes("A", p.m, p.k, kLargestElement);
  check_bytes("B", p.k, p.n, kLargestElement);
  check_bytes("C", p.m, p.n, kLargestElement);
  const bool by_m = p.shard_dim == ShardDim::kM;
  const std::int64_t extent = by_m ? p.m : p.k;
  if (extent % p.world_size != 0) {
    const std::int64_t padded = (extent / p.world_size + 1) * p.world_size;
    throw invalid_argument("{}={} is not a multiple of world_size={} (shard_dim {}); pad {} to {}",
                           by_m ? "M" : "K", extent, p.world_size, to_string(p.shard_dim),
                           by_m ? "M" : "K", padded);
  }
}

std::string to_string(const Problem& p) {
  return fmt::format("{}x{}x{} {} ws{} {} {}", p.m, p.n, p.k, to_string(p.shard_dim), p.world_size,
                     to_string(p.dtype), to_string(p.layout));
}

}  // namespace weft
