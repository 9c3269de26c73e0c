// SPDX-License-Identifier: Apache-2.0
// The unfused path: all-gather, then a product by the vendor library, also in halves for measuring.
#pragma once

#include "ops/cpu_call.hpp"

namespace weft::ops {

class Unfused {
 public:
  /// Collective.
  Unfused(Rank& rank, const Problem& problem, UnfusedForm form, TraceSink* trace = nullptr);
  /// Collective: every rank ends with its own complete A.
  void gather(const RunArgs& args);
  /// Local: the product of the gathered A and B (gather must have run).
  void product(const RunArgs& args);
  /// Collective: both. `args` have passed checked_args.
  void run(const RunArgs& args);
  [[nodiscard]] std::int64_t bytes() const noexcept;

 private:
  [[nodiscard]] cpu::Matrix gathered(const RunArgs& args) const;
  void product_f32(const RunArgs& args);
  void product_wide(const RunArgs& args);

  Problem problem_;
  UnfusedForm form_;
  CpuLink link_;
  cpu::Call call_;
  Buffer gathered_;        // [M,K] or [K,M], unless the caller takes the gathered A
  Buffer rank_major_;      // shard after shard, for the forms that need it
  Problem local_problem_;  // 16-bit types: the product as a problem of one rank
  FusedBuffers local_buffers_;
  cpu::Call local_call_;
  std::uint32_t local_epoch_ = kFirstEpoch;
};

/// Bytes that Unfused holds.
std::int64_t unfused_bytes(const Problem& problem, UnfusedForm form, std::int32_t threads);

}  // namespace weft::ops
