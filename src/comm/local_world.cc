// SPDX-License-Identifier: Apache-2.0
#include "comm/local_world.hpp"

#include <cstring>
#include <new>

namespace weft::comm {

LocalShared::LocalShared(std::int32_t ranks, std::int32_t threads, std::int64_t timeout)
    : world_size(ranks),
      threads_per_rank(threads),
      timeout_ms(timeout),
      arch(detect_cpu(threads)),
      departures(static_cast<std::size_t>(ranks)),
      arrivals(static_cast<std::size_t>(ranks)),
      payloads(static_cast<std::size_t>(ranks)) {}

LocalEndpoint::LocalEndpoint(std::shared_ptr<LocalShared> shared, std::int32_t rank)
    : shared_(std::move(shared)),
      rank_(rank),
      waiter_(rank, shared_->departures.data(), shared_->timeout_ms),
      pool_(shared_->threads_per_rank) {}

void LocalEndpoint::barrier(std::string_view what) {
  Flag& mine = shared_->arrivals[static_cast<std::size_t>(rank_)];
  const std::uint32_t epoch = read_flag(mine) + 1;
  set_flag(mine, epoch);
  for (std::int32_t peer = 0; peer < world_size(); ++peer) {
    waiter_.wait(shared_->arrivals[static_cast<std::size_t>(peer)], epoch, peer, nullptr,
                 [&] { return fmt::format("rank {} in {}", peer, what); });
  }
}

void LocalEndpoint::all_gather(const void* mine, std::size_t bytes, void* all,
                               std::string_view what) {
  shared_->payloads[static_cast<std::size_t>(rank_)] = mine;
  barrier(what);
  for (std::size_t peer = 0; peer < shared_->payloads.size(); ++peer) {
    std::memcpy(static_cast<std::byte*>(all) + peer * bytes, shared_->payloads[peer], bytes);
  }
  barrier(what);
}

std::shared_ptr<std::byte> LocalEndpoint::alloc_shared(std::size_t bytes, std::string_view what) {
  constexpr std::align_val_t kAlignment{128};
  if (rank_ == 0) {
    auto* memory = static_cast<std::byte*>(::operator new(bytes, kAlignment));
    std::memset(memory, 0, bytes);
    shared_->offered.reset(memory, [](std::byte* p) { ::operator delete(p, kAlignment); });
  }
  barrier(what);
  std::shared_ptr<std::byte> memory = shared_->offered;
  barrier(what);
  if (rank_ == 0) shared_->offered.reset();
  return memory;
}

void LocalEndpoint::run_workers(const std::function<void(std::int32_t)>& fn,
                                std::atomic<bool>& abort) {
  pool_.run(fn, abort);
}

void LocalEndpoint::depart(Departure how) noexcept {
  set_flag(shared_->departures[static_cast<std::size_t>(rank_)], static_cast<std::uint32_t>(how));
}

}  // namespace weft::comm
