// SPDX-License-Identifier: Apache-2.0
// Records one trace event from construction to destruction; costs a branch when tracing is off.
#pragma once

#include <chrono>

#include "weft/trace.hpp"

namespace weft::cpu {

class Span {
 public:
  Span(TraceSink* sink, TraceKind kind, std::int32_t rank, std::int32_t worker,
       std::int64_t m_tile = -1, std::int64_t n_tile = -1, std::int64_t k_group = -1)
      : sink_(sink) {
    if (sink_ == nullptr) return;
    event_ = {.kind = kind,
              .rank = rank,
              .worker = worker,
              .begin_ns = now(),
              .m_tile = static_cast<std::int32_t>(m_tile),
              .n_tile = static_cast<std::int32_t>(n_tile),
              .k_group = static_cast<std::int32_t>(k_group)};
  }
  ~Span() {
    if (sink_ == nullptr) return;
    event_.end_ns = now();
    sink_->record(event_);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  TraceSink* sink_;
  TraceEvent event_;
};

}  // namespace weft::cpu
