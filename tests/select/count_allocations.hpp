// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weft::testing {

/// Calls of operator new in this program so far, by all threads.
std::int64_t count_allocations();

}  // namespace weft::testing
