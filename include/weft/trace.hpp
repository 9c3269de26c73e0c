// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the time of one call goes: events of fetch, wait and compute per worker and rank.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string_view>

namespace weft {

/// What a worker did between two moments.
enum class TraceKind : std::uint8_t {
  kGather,   ///< the unfused gather
  kFetch,    ///< a fetcher copied one flag's tiles into staging
  kWait,     ///< a worker waited for a flag or a peer
  kCompute,  ///< a worker computed one k-group of one tile, or the whole unfused product
  kWiden,    ///< 16-bit input widened to f32
};
std::string_view to_string(TraceKind kind) noexcept;  ///< "gather", "fetch", ...

/// One span of one worker. Indices that do not apply are -1.
struct TraceEvent {
  TraceKind kind = TraceKind::kCompute;
  std::int32_t rank = 0;
  std::int32_t worker = 0;
  std::int64_t begin_ns = 0;  ///< steady clock
  std::int64_t end_ns = 0;
  std::int32_t m_tile = -1;
  std::int32_t n_tile = -1;
  std::int32_t k_group = -1;
};

/// Receives events; called by many threads at once, right after the span ended.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(const TraceEvent& event) = 0;
};

/// Keeps all events in memory and writes a Chrome/Perfetto timeline.
class TraceRecorder : public TraceSink {
 public:
  TraceRecorder();
  ~TraceRecorder() override;
  void record(const TraceEvent& event) override;
  /// Number of events recorded so far.
  [[nodiscard]] std::size_t size() const;
  /// One JSON object in the Trace Event Format: a process per rank, a thread per worker.
  void write_json(std::ostream& out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft
