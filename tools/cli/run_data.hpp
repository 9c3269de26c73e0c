// SPDX-License-Identifier: Apache-2.0
// Operands of `weft run`: from .npy files, or random.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/buffer.hpp"
#include "tune/reference.hpp"
#include "weft/plan.hpp"

namespace weft::cli {

/// Paths of .npy files; empty ones are random (inputs) or not written (c).
struct RunFiles {
  std::string a;     ///< the whole A, [M,K] or [K,M] as the layout stores it
  std::string b;     ///< [K,N] or [N,K], the same for every rank
  std::string bias;  ///< [N], the same for every rank
  std::string c;     ///< [M,N] of rank 0
};

/// A shards, B, bias and C of every rank of this process, packed.
class RunData {
 public:
  /// f32 values of the files are rounded to bf16 when the problem asks for it.
  /// @param threads_per_rank  for the estimate of the memory that running needs
  /// @throws Error kUnsupported for types the CPU cannot run; kInvalidArgument for bad files;
  ///         kDeviceError when memory is short, before anything is allocated
  RunData(const Problem& problem, std::int32_t threads_per_rank, const RunFiles& files,
          std::uint64_t seed);

  [[nodiscard]] RunArgs args(std::int32_t rank) const;
  [[nodiscard]] tune::CheckedCall checked(std::int32_t rank) const;
  /// Sets every C to NaN, so that an element that is not written is seen.
  void poison();
  /// Writes C of rank 0; bf16 is written as f32, which holds the same values.
  void write_c(const std::string& path) const;

 private:
  void fill_a(const std::string& path, std::uint64_t seed);

  Problem problem_;
  std::vector<ops::Buffer> a_, b_, c_;  // b_ has one for all ranks when it comes from a file
  ops::Buffer bias_;
};

}  // namespace weft::cli
