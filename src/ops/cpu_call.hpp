// SPDX-License-Identifier: Apache-2.0
// What the fused and the unfused path share on a CPU: the peers' blocks, epochs, tickets,
// workspace.
#pragma once

#include <cstdint>
#include <memory>

#include "comm/endpoint.hpp"
#include "kernels/cpu/call.hpp"
#include "ops/buffer.hpp"
#include "weft/plan.hpp"

namespace weft::ops {

/// Sizes of the workspace of one fused configuration, in bytes; and how they are laid out.
struct FusedWorkspace {
  std::int64_t staging = 0, staging_flags = 0, b_wide = 0, b_flags = 0, a_wide = 0, c_wide = 0;
  std::int64_t ldb_wide = 0;                      ///< elements
  std::int64_t a_wide_size = 0, c_wide_size = 0;  ///< floats a worker
  [[nodiscard]] std::int64_t total() const noexcept {
    return staging + staging_flags + b_wide + b_flags + a_wide + c_wide;
  }
};
FusedWorkspace fused_workspace(const Problem& problem, const FusedConfig& config,
                               std::int32_t threads);

/// The grid of `problem` under `config` for `rank`.
schedule::Grid make_grid(const Problem& problem, const FusedConfig& config, std::int32_t rank);

/// Buffers of a FusedWorkspace, and the pointers that the workers see.
class FusedBuffers {
 public:
  FusedBuffers() = default;
  explicit FusedBuffers(const FusedWorkspace& sizes);
  [[nodiscard]] const cpu::Workspace& view() const noexcept { return view_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  Buffer staging_, staging_flags_, b_wide_, b_flags_, a_wide_, c_wide_;
  cpu::Workspace view_;
  std::int64_t bytes_ = 0;
};

/// Epoch before the first call. Every plan passes the wrap of 2^32 early, so that a mistake there
/// would show at once and not after years.
inline constexpr std::uint32_t kFirstEpoch = 0xFFFFFFF0U;

/// One path's connection to its peers. Made collectively.
class CpuLink {
 public:
  CpuLink(comm::Endpoint& endpoint, std::int32_t world_size);
  /// Fills in operands and tickets of a call that needs no peers; its epoch is the caller's.
  void fill(cpu::Call& call, const Problem& problem, const RunArgs& args);
  /// Starts a call: next epoch, tickets at zero, operands filled in, shard published.
  void begin(cpu::Call& call, const Problem& problem, const RunArgs& args);
  /// Runs `fn(worker)` on all workers; no peers are involved.
  void work(const std::function<void(std::int32_t)>& fn);
  /// Runs `fn(worker)`, which reads the peers' shards, on all workers; then waits until nobody
  /// reads this rank's shard any more, also after a failure.
  void exchange(const cpu::Call& call, const std::function<void(std::int32_t)>& fn);

  [[nodiscard]] cpu::Tickets& tickets() noexcept { return *tickets_; }
  [[nodiscard]] comm::Endpoint& endpoint() noexcept { return *endpoint_; }

 private:
  comm::Endpoint* endpoint_;
  std::shared_ptr<std::byte> shared_;
  cpu::PeerBlock* peers_;
  std::unique_ptr<cpu::Tickets> tickets_;
  std::uint32_t epoch_;
};

/// `direct` or `staged`.
class CpuFused {
 public:
  /// Collective. `config` must have passed validate.
  CpuFused(comm::Endpoint& endpoint, const Problem& problem, const FusedConfig& config,
           TraceSink* trace);
  /// Collective. `args` have passed checked_args.
  void run(const RunArgs& args);
  [[nodiscard]] std::int64_t bytes() const noexcept { return buffers_.bytes(); }

 private:
  Problem problem_;
  CpuLink link_;
  FusedBuffers buffers_;
  cpu::Call call_;
};

}  // namespace weft::ops
