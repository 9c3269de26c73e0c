// SPDX-License-Identifier: Apache-2.0
// What a World offers to weft's own parts on one rank. A new kind of World implements this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kernels/shared/waiter.hpp"
#include "weft/arch.hpp"

namespace weft::comm {

/// Collective methods are called by all ranks in the same order; all waits are bounded and throw
/// Error kTimeout.
class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;

  [[nodiscard]] virtual std::int32_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::int32_t world_size() const noexcept = 0;
  [[nodiscard]] virtual std::int32_t threads_per_rank() const noexcept = 0;
  [[nodiscard]] virtual const Arch& arch() const noexcept = 0;
  [[nodiscard]] virtual const std::string& link() const noexcept = 0;

  /// Collective. `what` names the step in a timeout's message.
  virtual void barrier(std::string_view what) = 0;
  /// Collective: `bytes` of every rank, in rank order, into `all` (world_size * bytes).
  virtual void all_gather(const void* mine, std::size_t bytes, void* all,
                          std::string_view what) = 0;
  /// Collective: zeroed memory that all ranks read and write; freed when the last rank drops it.
  virtual std::shared_ptr<std::byte> alloc_shared(std::size_t bytes, std::string_view what) = 0;
  /// For waits on flags in shared memory.
  [[nodiscard]] virtual const Waiter& waiter() const noexcept = 0;
  /// Runs fn(worker) on threads_per_rank threads, worker 0 on the caller's, and joins. Rethrows the
  /// first exception; `abort` is raised then, so that waiting workers leave.
  virtual void run_workers(const std::function<void(std::int32_t)>& fn,
                           std::atomic<bool>& abort) = 0;

  /// Plans of the one-call form; owned here because they live as long as the World.
  std::shared_ptr<void> plan_cache;
};

}  // namespace weft::comm
