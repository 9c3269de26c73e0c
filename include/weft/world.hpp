// SPDX-License-Identifier: Apache-2.0
/// @file
/// Who the ranks are and how they reach each other's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "weft/arch.hpp"

namespace weft {

namespace comm {
class Endpoint;
}

/// One rank of a World, as the code of that rank sees it. Methods marked *collective* must be
/// called by all ranks in the same order. Every wait is bounded by WEFT_TIMEOUT_MS (default
/// 30,000).
class Rank {
 public:
  explicit Rank(comm::Endpoint& endpoint) noexcept : endpoint_(&endpoint) {}
  [[nodiscard]] std::int32_t rank() const noexcept;
  [[nodiscard]] std::int32_t world_size() const noexcept;
  [[nodiscard]] std::int32_t threads_per_rank() const noexcept;
  [[nodiscard]] const Arch& arch() const noexcept;
  /// Link class between the ranks, as the database keys it ("shm").
  [[nodiscard]] const std::string& link() const noexcept;
  /// Collective. @throws Error kTimeout naming a rank that never came
  void barrier();
  /// Collective: `bytes` of rank `root` reach everybody. @throws Error kTimeout
  void broadcast(std::span<std::byte> bytes, std::int32_t root);
  /// Collective: the maximum over the ranks. @throws Error kTimeout
  double all_reduce_max(double value);
  /// For weft's own parts.
  [[nodiscard]] comm::Endpoint& endpoint() noexcept { return *endpoint_; }

 private:
  comm::Endpoint* endpoint_;
};

/// A group of ranks.
class World {
 public:
  /// Ranks are threads of this process, on the CPU.
  /// @param world_size        1 to 64
  /// @param threads_per_rank  workers of each rank, its own thread included; 1 to 256
  /// @throws Error kInvalidArgument if either is out of range
  static World local(std::int32_t world_size, std::int32_t threads_per_rank = 1);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  [[nodiscard]] std::int32_t world_size() const noexcept;
  [[nodiscard]] std::int32_t threads_per_rank() const noexcept;

  /// Runs `fn` once per rank, each on its own thread, and joins. A rank that returns or throws
  /// early makes peers that wait for it fail at once with kTimeout naming it. Rethrows the Error of
  /// the lowest rank that failed for its own reasons, else of the lowest rank that failed. A rank
  /// that hangs outside of weft is left running after twice WEFT_TIMEOUT_MS once a peer failed.
  /// After a failure the World is unusable for further runs.
  void run(const std::function<void(Rank&)>& fn);

 private:
  struct Impl;
  explicit World(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// WEFT_TIMEOUT_MS, or 30,000. @throws Error kInvalidArgument if malformed
std::int64_t timeout_ms();

}  // namespace weft
