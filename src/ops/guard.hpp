// SPDX-License-Identifier: Apache-2.0
// Proves a fused choice on a plan's first calls: which variant each call runs, and the verdict.
// Pure: no clock, no ranks. Fed the same times, all ranks decide the same at the same call.
//
//   call   0 1 | 2 3 | 4 5 | 6 7 | ...        A fused, B unfused
//   runs   A B | A B | B A | A B | ...        2 warm-ups, then 11 pairs in alternating order
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace weft::ops {

/// What stands behind the choice that is being proved.
enum class GuardedClaim : std::uint8_t {
  kImported,  ///< not measured by weft: must prove itself, lower bound > 1.01
  kMeasured,  ///< confirmed by weft: stays unless proved slower, upper bound < 1.00
};

/// The state machine of one plan.
class Guard {
 public:
  static constexpr int kWarmUps = 2;
  static constexpr int kPairs = 11;
  static constexpr int kCalls = kWarmUps + 2 * kPairs;

  explicit Guard(GuardedClaim claim) : claim_(claim) {}

  /// Whether the next call runs the fused variant; once decided, whether it stays.
  [[nodiscard]] bool runs_fused() const noexcept;
  /// Time of the call that just ended: the maximum over the ranks, in seconds. Times that are not
  /// above 0 count as one nanosecond. Ignored once decided.
  void record(double seconds);

  [[nodiscard]] bool decided() const noexcept { return calls_ == kCalls; }
  [[nodiscard]] int calls() const noexcept { return calls_; }
  /// "guard_kept", "guard_dropped", or "guard_undecided".
  [[nodiscard]] const char* reason() const noexcept;
  /// One sentence with the numbers, or with the calls still to come.
  [[nodiscard]] std::string text() const;

 private:
  void decide();

  GuardedClaim claim_;
  int calls_ = 0;
  bool keep_ = false;
  std::array<double, kPairs> fused_{}, unfused_{};  // seconds of each pair's calls
  double median_ = 0, lo_ = 0, hi_ = 0;
};

}  // namespace weft::ops
