// SPDX-License-Identifier: Apache-2.0
// Random operands of all ranks of one process, in several sets, so that timed calls find them cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/buffer.hpp"
#include "tune/reference.hpp"
#include "weft/plan.hpp"

namespace weft::ops {

/// Uniform values in [-1, 1), the same for the same seed. @throws Error kUnsupported unless f32,
/// bf16
void fill_random(DType dtype, std::span<std::byte> bytes, std::uint64_t seed);

/// Sets needed to cover twice the cache, at least 2; fewer (at least 1) where they would take more
/// than `budget_bytes`.
std::int64_t num_operand_sets(std::int64_t set_bytes, std::int64_t cache_bytes,
                              std::int64_t budget_bytes);

/// A shard, B, bias and C of every rank. Leading dimensions are packed.
class Operands {
 public:
  /// Allocates nothing yet. @param sets  at least 1
  Operands(const Problem& problem, std::int64_t sets);
  /// Bytes of one set over all ranks.
  static std::int64_t set_bytes(const Problem& problem);

  /// Allocates and fills the sets of one rank; called by that rank's own thread, so that memory is
  /// near it. @throws Error kDeviceError when memory is short
  void allocate(std::int32_t rank);
  /// Operands of call number `call`: the sets take turns.
  [[nodiscard]] RunArgs args(std::int32_t rank, std::int64_t call) const;
  /// Sets C of that call to NaN, so that an element which is not written is seen.
  void poison(std::int32_t rank, std::int64_t call);
  /// The same operands for the reference. All ranks have called `allocate`.
  [[nodiscard]] tune::CheckedCall checked(std::int32_t rank, std::int64_t call) const;

 private:
  struct Sizes {
    std::int64_t a, b, bias, c;  // bytes, rounded up to whole cache lines
    [[nodiscard]] std::int64_t total() const { return a + b + bias + c; }
  };
  static Sizes sizes(const Problem& problem);

  Problem problem_;
  std::int64_t sets_;
  Sizes sizes_;
  std::vector<Buffer> ranks_;
};

}  // namespace weft::ops
