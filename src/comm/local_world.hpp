// SPDX-License-Identifier: Apache-2.0
// World::local: ranks are threads of this process.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "comm/endpoint.hpp"
#include "comm/worker_pool.hpp"

namespace weft::comm {

/// State that all ranks of one local World share.
struct LocalShared {
  LocalShared(std::int32_t world_size, std::int32_t threads_per_rank, std::int64_t timeout_ms);

  std::int32_t world_size;
  std::int32_t threads_per_rank;
  std::int64_t timeout_ms;
  Arch arch;
  std::string link = "shm";
  std::vector<Flag> departures;        ///< a Departure per rank
  std::vector<Flag> arrivals;          ///< barriers each rank has entered
  std::vector<const void*> payloads;   ///< all_gather: what each rank offers
  std::shared_ptr<std::byte> offered;  ///< alloc_shared: what rank 0 made
};

class LocalEndpoint final : public Endpoint {
 public:
  LocalEndpoint(std::shared_ptr<LocalShared> shared, std::int32_t rank);

  [[nodiscard]] std::int32_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::int32_t world_size() const noexcept override { return shared_->world_size; }
  [[nodiscard]] std::int32_t threads_per_rank() const noexcept override {
    return shared_->threads_per_rank;
  }
  [[nodiscard]] const Arch& arch() const noexcept override { return shared_->arch; }
  [[nodiscard]] const std::string& link() const noexcept override { return shared_->link; }
  void barrier(std::string_view what) override;
  void all_gather(const void* mine, std::size_t bytes, void* all, std::string_view what) override;
  std::shared_ptr<std::byte> alloc_shared(std::size_t bytes, std::string_view what) override;
  [[nodiscard]] const Waiter& waiter() const noexcept override { return waiter_; }
  void run_workers(const std::function<void(std::int32_t)>& fn, std::atomic<bool>& abort) override;

  /// Tells the peers that this rank takes part no more.
  void depart(Departure how) noexcept;

 private:
  std::shared_ptr<LocalShared> shared_;
  std::int32_t rank_;
  Waiter waiter_;
  WorkerPool pool_;
};

}  // namespace weft::comm
