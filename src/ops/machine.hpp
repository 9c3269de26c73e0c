// SPDX-License-Identifier: Apache-2.0
// What the operating system states about this machine, for measuring.
#pragma once

#include <cstdint>
#include <string>

namespace weft::ops {

/// Size of the largest cache; 32 MiB when the system does not state it.
std::int64_t last_level_cache_bytes();

/// Bytes that can be used without swapping; 4 GiB when the system does not state it.
std::int64_t available_memory_bytes();

/// Processors this process may run on, at least 1.
std::int32_t num_usable_cores();

/// "cpu0 at 2996 MHz", or "" when the system does not state it.
std::string clocks_text();

/// The present time in UTC, RFC 3339, to the second.
std::string utc_now();

}  // namespace weft::ops
