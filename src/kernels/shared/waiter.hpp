// SPDX-License-Identifier: Apache-2.0
// Bounded waits: every wait on a peer ends when the flag comes, the peer leaves, or time is up.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "core/message.hpp"
#include "kernels/shared/flags.hpp"

namespace weft {

/// Why a rank no longer takes part.
enum class Departure : std::uint32_t { kNone, kReturned, kThrew };

/// Waits on behalf of one rank. `departures` holds one word a rank (a Departure).
class Waiter {
 public:
  Waiter(std::int32_t rank, const Flag* departures, std::int64_t timeout_ms)
      : rank_(rank), departures_(departures), timeout_ms_(timeout_ms) {}

  /// Waits for `flag`, which `peer` raises. `abort`, if given, ends the wait when another worker
  /// failed.
  /// @return false when the peer left, time is up or `abort` came first
  bool reached(const Flag& flag, std::uint32_t epoch, std::int32_t peer,
               const std::atomic<bool>* abort) const {
    if (epoch_reached(read_flag(flag), epoch)) return true;
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms_);
    return wait_flag(flag, epoch, [&] {
      return departure(peer) != Departure::kNone || (abort != nullptr && abort->load()) ||
             Clock::now() >= deadline;
    });
  }

  /// As `reached`. `describe()` names what is waited for, such as "the ready flag of this call".
  /// @throws Error kTimeout with rank, peer, epoch seen and wanted
  template <class Describe>
  void wait(const Flag& flag, std::uint32_t epoch, std::int32_t peer,
            const std::atomic<bool>* abort, Describe&& describe) const {
    if (!reached(flag, epoch, peer, abort)) fail(read_flag(flag), epoch, peer, describe());
  }

  [[nodiscard]] Departure departure(std::int32_t peer) const noexcept {
    return static_cast<Departure>(read_flag(departures_[peer]));
  }

 private:
  [[noreturn]] void fail(std::uint32_t seen, std::uint32_t wanted, std::int32_t peer,
                         const std::string& what) const {
    const Departure left = departure(peer);
    const std::string cause = left == Departure::kReturned
                                  ? fmt::format("rank {} returned early", peer)
                              : left == Departure::kThrew ? fmt::format("rank {} failed", peer)
                                                          : fmt::format(
                                                                "rank {} did not come within {} ms "
                                                                "(WEFT_TIMEOUT_MS)",
                                                                peer, timeout_ms_);
    throw timeout_error("rank {} waited for {}: {}; epoch seen {}, wanted {}", rank_, what, cause,
                        seen, wanted);
  }

  std::int32_t rank_;
  const Flag* departures_;
  std::int64_t timeout_ms_;
};

}  // namespace weft
