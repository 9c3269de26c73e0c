// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weft {

/// The largest d <= at_most that divides value; value >= 1. Takes at most `at_most` steps.
constexpr std::int64_t largest_divisor(std::int64_t value, std::int64_t at_most) noexcept {
  for (std::int64_t d = at_most < value ? at_most : value; d > 1; --d) {
    if (value % d == 0) return d;
  }
  return 1;
}

}  // namespace weft
