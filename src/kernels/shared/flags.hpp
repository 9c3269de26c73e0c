// SPDX-License-Identifier: Apache-2.0
// Flags between threads of a CPU: set_flag publishes what was written before, wait_flag sees it.
// A flag is ready when flag >= epoch, compared so that wrapping does no harm; it is never reset.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace weft {

/// One flag on cache lines of its own (128 bytes: adjacent-line prefetch pairs 64-byte lines).
struct alignas(128) Flag {
  std::uint32_t word = 0;
};

constexpr bool epoch_reached(std::uint32_t flag, std::uint32_t epoch) noexcept {
  return static_cast<std::int32_t>(flag - epoch) >= 0;
}

inline void set_flag(Flag& flag, std::uint32_t epoch) noexcept {
  std::atomic_ref<std::uint32_t>(flag.word).store(epoch, std::memory_order_release);
}

inline std::uint32_t read_flag(const Flag& flag) noexcept {
  // NOTE: atomic_ref<const T> is not in GCC 12; the flag is not written through this reference.
  return std::atomic_ref<std::uint32_t>(const_cast<Flag&>(flag).word)
      .load(std::memory_order_acquire);
}

/// Waits until `flag` has reached `epoch`. Spins shortly, then yields, so that more ranks than
/// cores make progress. `give_up()` is asked now and then.
/// @return false when give_up() said so first
template <class GiveUp>
bool wait_flag(const Flag& flag, std::uint32_t epoch, GiveUp&& give_up) {
  constexpr int kSpins = 256;
  constexpr int kYieldsPerCheck = 16;
  for (int i = 0; i < kSpins; ++i) {
    if (epoch_reached(read_flag(flag), epoch)) return true;
  }
  for (int i = 1;; ++i) {
    if (epoch_reached(read_flag(flag), epoch)) return true;
    if (i % kYieldsPerCheck == 0 && give_up()) return epoch_reached(read_flag(flag), epoch);
    std::this_thread::yield();
  }
}

}  // namespace weft
