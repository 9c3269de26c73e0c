// SPDX-License-Identifier: Apache-2.0
/// @file
/// What one call computes: C[M,N] = gather(A)[M,K] * B[K,N] + bias[N], on each of `world_size`
/// ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// Element type of A, B, C and bias. 16-bit types accumulate in f32.
enum class DType : std::uint8_t { kF32, kBf16, kF16, kFp8E4m3 };

/// Two letters, A then B, in row-major terms. `n`: A is [M,K], B is [K,N]. `t`: stored transposed.
enum class Layout : std::uint8_t { kNN, kNT, kTN, kTT };

/// The dimension of A that is split over the ranks. `kK`: each rank holds [M, K/world_size].
/// `kM`: each rank holds [M/world_size, K].
enum class ShardDim : std::uint8_t { kM, kK };

/// Spelling in files, on the command line and in messages: "f32", "bf16", "f16", "fp8_e4m3".
std::string_view to_string(DType dtype) noexcept;
/// "nn", "nt", "tn", "tt".
std::string_view to_string(Layout layout) noexcept;
/// "m", "k".
std::string_view to_string(ShardDim shard_dim) noexcept;

/// Inverse of to_string. @throws Error kInvalidArgument naming the text and the legal words
DType parse_dtype(std::string_view text);
Layout parse_layout(std::string_view text);
ShardDim parse_shard_dim(std::string_view text);

/// Bytes of one element.
std::int64_t element_bytes(DType dtype) noexcept;

/// True when A (or B) is stored transposed.
constexpr bool a_transposed(Layout l) noexcept { return l == Layout::kTN || l == Layout::kTT; }
constexpr bool b_transposed(Layout l) noexcept { return l == Layout::kNT || l == Layout::kTT; }

/// One all-gather + matmul, as one rank sees it. M, N, K are the extents of the product that one
/// rank computes *after* the gather: global in the gathered dimension, local otherwise.
struct Problem {
  std::int64_t m = 0;                 ///< rows of C
  std::int64_t n = 0;                 ///< columns of C on this rank
  std::int64_t k = 0;                 ///< length of the dot products
  std::int32_t world_size = 1;        ///< number of ranks
  ShardDim shard_dim = ShardDim::kK;  ///< which dimension of A is split
  DType dtype = DType::kF32;          ///< of A, B, C and bias
  Layout layout = Layout::kNN;        ///< storage of A and B; C is always row-major [M,N]
  bool has_bias = false;              ///< add bias[N], one value per column
  bool return_gathered_a = false;     ///< also write the gathered A ([M,K], or [K,M] for t)
  bool same_on_all_ranks = false;     ///< sum in the same order on all ranks: equal last bits

  /// Rows and columns of the logical A shard that one rank holds.
  [[nodiscard]] constexpr std::int64_t m_local() const noexcept {
    return shard_dim == ShardDim::kM ? m / world_size : m;
  }
  [[nodiscard]] constexpr std::int64_t k_local() const noexcept {
    return shard_dim == ShardDim::kK ? k / world_size : k;
  }
  /// Length of one stored row of the A shard, of B and of the gathered A: the smallest legal
  /// leading dimension, in elements.
  [[nodiscard]] constexpr std::int64_t min_lda() const noexcept {
    return a_transposed(layout) ? m_local() : k_local();
  }
  [[nodiscard]] constexpr std::int64_t min_ldb() const noexcept {
    return b_transposed(layout) ? k : n;
  }
  [[nodiscard]] constexpr std::int64_t min_ldg() const noexcept {
    return a_transposed(layout) ? m : k;
  }
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Refuses sizes that are not positive, overflow 64-bit byte counts, or do not divide:
/// K % world_size (shard_dim k) or M % world_size (shard_dim m) must be 0.
/// @throws Error kInvalidArgument; for a ragged M the message names the padded M
void check_problem(const Problem& problem);

/// "4096x14336x4096 k ws8 bf16 nn", for messages.
std::string to_string(const Problem& problem);

}  // namespace weft
