// SPDX-License-Identifier: Apache-2.0
// Events are kept in shards, so that threads which record at once rarely meet; they are merged and
// ordered only when the timeline is written (Trace Event Format, "X" complete events).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/words.hpp"
#include "weft/trace.hpp"

namespace weft {
namespace {

constexpr WordTable<TraceKind, 5> kKinds{{{TraceKind::kGather, "gather"},
                                          {TraceKind::kFetch, "fetch"},
                                          {TraceKind::kWait, "wait"},
                                          {TraceKind::kCompute, "compute"},
                                          {TraceKind::kWiden, "widen"}}};

constexpr std::size_t kNumShards = 64;
constexpr std::size_t kBlockEvents = 1024;
constexpr std::size_t kCacheLineBytes = 64;

/// Events of the threads that share a shard. Blocks never move, so recording never copies.
struct alignas(kCacheLineBytes) Shard {
  using Block = std::array<TraceEvent, kBlockEvents>;
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Block>> blocks;
  std::size_t count = 0;
};

/// Threads are numbered in the order in which they first record.
std::size_t shard_of_this_thread() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t index = next.fetch_add(1, std::memory_order_relaxed) % kNumShards;
  return index;
}

// NOTE: viewers give process 0 and thread 0 a meaning of their own, and some want thread numbers to
// differ between processes.
constexpr std::int64_t process_id(std::int32_t rank) { return std::int64_t{rank} + 1; }
constexpr std::int64_t thread_id(std::int32_t rank, std::int32_t worker) {
  return process_id(rank) * 1000 + worker;
}

void append_metadata(std::string& text, const char* name, std::int64_t process, std::int64_t thread,
                     const std::string& label) {
  text += fmt::format(
      "{{\"name\":\"{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{}\"}}}},\n",
      name, process, thread, label);
}

/// Nanoseconds as the format's microseconds, without rounding.
std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

void append_event(std::string& text, const TraceEvent& e, std::int64_t origin_ns) {
  std::string args;
  for (const auto& [name, index] :
       {std::pair{"m_tile", e.m_tile}, {"n_tile", e.n_tile}, {"k_group", e.k_group}}) {
    if (index >= 0) args += fmt::format("{}\"{}\":{}", args.empty() ? "" : ",", name, index);
  }
  const std::string_view kind = to_string(e.kind);
  text += fmt::format(
      "{{\"name\":\"{}\",\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":{},"
      "\"args\":{{{}}}}},\n",
      kind, kind, microseconds(e.begin_ns - origin_ns),
      microseconds(std::max<std::int64_t>(0, e.end_ns - e.begin_ns)), process_id(e.rank),
      thread_id(e.rank, e.worker), args);
}

}  // namespace

std::string_view to_string(TraceKind kind) noexcept { return word_of(kKinds, kind); }

struct TraceRecorder::State {
  std::array<Shard, kNumShards> shards;

  [[nodiscard]] std::vector<TraceEvent> merged() const {
    std::vector<TraceEvent> all;
    for (const Shard& shard : shards) {
      const std::lock_guard lock(shard.mutex);
      for (std::size_t i = 0; i < shard.count; ++i) {
        all.push_back((*shard.blocks[i / kBlockEvents])[i % kBlockEvents]);
      }
    }
    const auto key = [](const TraceEvent& e) {
      return std::tuple(e.rank, e.worker, e.begin_ns, e.end_ns, e.kind, e.m_tile, e.n_tile,
                        e.k_group);
    };
    std::sort(all.begin(), all.end(),
              [&](const TraceEvent& a, const TraceEvent& b) { return key(a) < key(b); });
    return all;
  }
};

TraceRecorder::TraceRecorder() : state_(std::make_unique<State>()) {}
TraceRecorder::~TraceRecorder() = default;

void TraceRecorder::record(const TraceEvent& event) {
  Shard& shard = state_->shards[shard_of_this_thread()];
  const std::lock_guard lock(shard.mutex);
  if (shard.count == shard.blocks.size() * kBlockEvents) {
    shard.blocks.push_back(std::make_unique<Shard::Block>());
  }
  (*shard.blocks.back())[shard.count % kBlockEvents] = event;
  ++shard.count;
}

std::size_t TraceRecorder::size() const {
  std::size_t total = 0;
  for (const Shard& shard : state_->shards) {
    const std::lock_guard lock(shard.mutex);
    total += shard.count;
  }
  return total;
}

void TraceRecorder::write_json(std::ostream& out) const {
  const std::vector<TraceEvent> events = state_->merged();
  std::int64_t origin_ns = events.empty() ? 0 : std::numeric_limits<std::int64_t>::max();
  std::set<std::pair<std::int32_t, std::int32_t>> workers;
  for (const TraceEvent& e : events) {
    origin_ns = std::min(origin_ns, e.begin_ns);
    workers.emplace(e.rank, e.worker);
  }
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  for (const auto& [rank, worker] : workers) {
    const std::int64_t thread = thread_id(rank, worker);
    append_metadata(text, "process_name", process_id(rank), thread, fmt::format("rank {}", rank));
    append_metadata(text, "thread_name", process_id(rank), thread,
                    fmt::format("worker {}", worker));
  }
  constexpr std::size_t kFlushBytes = 1 << 20;
  for (const TraceEvent& e : events) {
    append_event(text, e, origin_ns);
    // The last event's comma is cut below, so its text must still be here.
    if (text.size() > kFlushBytes && &e != &events.back()) {
      out << text;
      text.clear();
    }
  }
  if (!events.empty()) text.erase(text.size() - 2);
  out << text << "\n]}\n";
}

}  // namespace weft
