// SPDX-License-Identifier: Apache-2.0
// C of one rank against a product in f64, on a few rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/problem.hpp"

namespace weft::tune {

/// One rank's call: the inputs of all ranks that go into its C, and C. Leading dimensions are in
/// elements, 0 means packed; pointers may be of type f32 or bf16, as the problem says.
struct CheckedCall {
  Problem problem;
  std::vector<const void*> a_shards{};  ///< one a rank, as RunArgs::a_shard
  std::int64_t lda = 0;
  const void* b = nullptr;
  std::int64_t ldb = 0;
  const void* bias = nullptr;  ///< null when problem.has_bias is false
  const void* c = nullptr;
  std::int64_t ldc = 0;
};

/// What the comparison found.
struct RowCheck {
  /// max |C - reference| / max |reference| over all elements looked at; infinite when C holds a
  /// value that is not finite where the reference is.
  double max_rel_err = 0;
  /// Every element is as close as its rounding errors allow: |C - reference| <= g |a| |b| with the
  /// Euclidean lengths of its row of A and column of B and g = K u / (1 - K u), u the unit roundoff
  /// of f32 sums (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1); bf16 adds
  /// the rounding of the result.
  bool within_bound = true;
  std::int64_t worst_row = 0, worst_col = 0;  ///< the element farthest outside its bound
  double worst_value = 0, worst_expected = 0;
};

/// First and last row, both sides of each shard edge (shard_dim m), and random ones: `count` rows,
/// or more if the edges alone are more, or all rows of a smaller M. Sorted, each once.
std::vector<std::int64_t> sample_rows(const Problem& problem, std::int64_t count,
                                      std::uint64_t seed);

/// Compares all columns of `rows`. @throws Error kUnsupported for element types other than f32,
/// bf16
RowCheck check_rows(const CheckedCall& call, std::span<const std::int64_t> rows);

}  // namespace weft::tune
