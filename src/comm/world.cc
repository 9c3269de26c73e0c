// SPDX-License-Identifier: Apache-2.0
#include "weft/world.hpp"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "comm/local_world.hpp"
#include "core/env.hpp"
#include "core/message.hpp"

namespace weft {
namespace {

constexpr std::int64_t kDefaultTimeoutMs = 30'000;
constexpr std::int64_t kMaxTimeoutMs = 86'400'000;  // a day
constexpr std::int32_t kMaxLocalRanks = 64;
constexpr std::int32_t kMaxThreadsPerRank = 256;

}  // namespace

std::int64_t timeout_ms() {
  return env::integer("WEFT_TIMEOUT_MS", 1, kMaxTimeoutMs).value_or(kDefaultTimeoutMs);
}

std::int32_t Rank::rank() const noexcept { return endpoint_->rank(); }
std::int32_t Rank::world_size() const noexcept { return endpoint_->world_size(); }
std::int32_t Rank::threads_per_rank() const noexcept { return endpoint_->threads_per_rank(); }
const Arch& Rank::arch() const noexcept { return endpoint_->arch(); }
const std::string& Rank::link() const noexcept { return endpoint_->link(); }
void Rank::barrier() { endpoint_->barrier("barrier"); }

void Rank::broadcast(std::span<std::byte> bytes, std::int32_t root) {
  if (root < 0 || root >= world_size()) {
    throw invalid_argument("root={} must be 0 to {}", root, world_size() - 1);
  }
  std::vector<std::byte> all(bytes.size() * static_cast<std::size_t>(world_size()));
  endpoint_->all_gather(bytes.data(), bytes.size(), all.data(), "broadcast");
  std::memcpy(bytes.data(), all.data() + bytes.size() * static_cast<std::size_t>(root),
              bytes.size());
}

double Rank::all_reduce_max(double value) {
  std::vector<double> all(static_cast<std::size_t>(world_size()));
  endpoint_->all_gather(&value, sizeof(value), all.data(), "all_reduce_max");
  for (const double other : all) value = other > value ? other : value;
  return value;
}

namespace {

// One World::run. Shared with the rank threads, because a rank that never returns outlives the
// call.
struct RunState {
  std::function<void(Rank&)> fn;
  std::mutex mutex;
  std::condition_variable finished;
  std::vector<bool> done;
  std::vector<std::exception_ptr> errors;
  std::int32_t num_done = 0;
  bool failed = false;

  void finish(std::size_t rank, std::exception_ptr error) {
    const std::lock_guard lock(mutex);
    done[rank] = true;
    failed = failed || error != nullptr;
    errors[rank] = std::move(error);
    ++num_done;
    finished.notify_all();
  }
};

bool is_timeout(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return e.code() == ErrorCode::kTimeout;
  } catch (...) {
    return false;
  }
}

// The lowest rank that failed for its own reasons, else the lowest that failed at all.
std::exception_ptr root_cause(const std::vector<std::exception_ptr>& errors) {
  std::exception_ptr first;
  for (const std::exception_ptr& error : errors) {
    if (error && !is_timeout(error)) return error;
    if (error && !first) first = error;
  }
  return first;
}

}  // namespace

struct World::Impl {
  std::shared_ptr<comm::LocalShared> shared;
  std::vector<std::shared_ptr<comm::LocalEndpoint>> endpoints;
  bool usable = true;
};

World::World(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

World World::local(std::int32_t world_size, std::int32_t threads_per_rank) {
  if (world_size < 1 || world_size > kMaxLocalRanks) {
    throw invalid_argument("world_size={} must be 1 to {} for ranks in one process", world_size,
                           kMaxLocalRanks);
  }
  if (threads_per_rank < 1 || threads_per_rank > kMaxThreadsPerRank) {
    throw invalid_argument("threads_per_rank={} must be 1 to {}", threads_per_rank,
                           kMaxThreadsPerRank);
  }
  auto impl = std::make_unique<Impl>();
  impl->shared = std::make_shared<comm::LocalShared>(world_size, threads_per_rank, timeout_ms());
  for (std::int32_t rank = 0; rank < world_size; ++rank) {
    impl->endpoints.push_back(std::make_shared<comm::LocalEndpoint>(impl->shared, rank));
  }
  return World(std::move(impl));
}

std::int32_t World::world_size() const noexcept { return impl_->shared->world_size; }
std::int32_t World::threads_per_rank() const noexcept { return impl_->shared->threads_per_rank; }

void World::run(const std::function<void(Rank&)>& fn) {
  if (!impl_->usable) {
    throw invalid_argument("this World failed in an earlier run; make a new one");
  }
  const std::size_t ranks = impl_->endpoints.size();
  auto state = std::make_shared<RunState>();
  state->fn = fn;
  state->done.resize(ranks);
  state->errors.resize(ranks);
  for (const auto& endpoint : impl_->endpoints) endpoint->depart(Departure::kNone);

  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([state, endpoint = impl_->endpoints[rank], rank] {
      std::exception_ptr error;
      try {
        Rank self(*endpoint);
        state->fn(self);
        endpoint->depart(Departure::kReturned);
      } catch (...) {
        error = std::current_exception();
        endpoint->depart(Departure::kThrew);
      }
      state->finish(rank, std::move(error));
    });
  }

  std::unique_lock lock(state->mutex);
  const auto all_done = [&] { return state->num_done == static_cast<std::int32_t>(ranks); };
  state->finished.wait(lock, [&] { return all_done() || state->failed; });
  // After a failure the others leave at their next wait; a rank that hangs elsewhere is left
  // behind.
  const auto grace = std::chrono::milliseconds(2 * impl_->shared->timeout_ms);
  const bool joined = state->finished.wait_for(lock, grace, all_done);
  impl_->usable = !state->failed;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (!joined && !state->done[rank]) threads[rank].detach();
  }
  const std::exception_ptr error = root_cause(state->errors);
  lock.unlock();
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace weft
