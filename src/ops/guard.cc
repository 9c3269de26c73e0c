// SPDX-License-Identifier: Apache-2.0
#include "ops/guard.hpp"

#include <algorithm>

#include "core/message.hpp"
#include "tune/statistics.hpp"

namespace weft::ops {
namespace {

constexpr double kDropBound = 1.00;  // of a measured winner's upper bound

/// Within a pair: A first in even pairs, B first in odd ones. The warm-ups count as an even pair.
constexpr bool is_fused_call(int call) {
  if (call < Guard::kWarmUps) return call % 2 == 0;
  const int in_pairs = call - Guard::kWarmUps;
  return (in_pairs / 2 + in_pairs) % 2 == 0;
}

}  // namespace

bool Guard::runs_fused() const noexcept { return decided() ? keep_ : is_fused_call(calls_); }

void Guard::record(double seconds) {
  if (decided()) return;
  if (calls_ >= kWarmUps) {
    constexpr double kOneNanosecond = 1e-9;
    auto& times = is_fused_call(calls_) ? fused_ : unfused_;
    times[static_cast<std::size_t>((calls_ - kWarmUps) / 2)] =
        seconds > kOneNanosecond ? seconds : kOneNanosecond;
  }
  ++calls_;
  if (decided()) decide();
}

void Guard::decide() {
  std::array<double, kPairs> speedups{};
  for (std::size_t i = 0; i < speedups.size(); ++i) speedups[i] = unfused_[i] / fused_[i];
  const tune::Bounds bounds = tune::order_bounds(speedups, tune::fixed_n_rank(kPairs));
  median_ = tune::median(speedups);
  lo_ = bounds.lo;
  hi_ = bounds.hi;
  keep_ = claim_ == GuardedClaim::kImported ? lo_ > tune::kWinBound : hi_ >= kDropBound;
}

const char* Guard::reason() const noexcept {
  if (!decided()) return "guard_undecided";
  return keep_ ? "guard_kept" : "guard_dropped";
}

std::string Guard::text() const {
  if (!decided()) {
    return fmt::format("the guard has seen {} of {} calls and has not decided", calls_, kCalls);
  }
  const std::string numbers = fmt::format(
      "{} pairs of calls gave a speedup of {:.3f} [{:.3f} {:.3f}]", kPairs, median_, lo_, hi_);
  if (claim_ == GuardedClaim::kImported) {
    return fmt::format("{}; an imported winner stays only with a lower bound above {:.2f}: {}",
                       numbers, tune::kWinBound, keep_ ? "it stays" : "unfused from now on");
  }
  return fmt::format("{}; a measured winner is dropped only with an upper bound below {:.2f}: {}",
                     numbers, kDropBound, keep_ ? "it stays" : "unfused from now on");
}

}  // namespace weft::ops
