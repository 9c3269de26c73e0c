// SPDX-License-Identifier: Apache-2.0
// How much shared memory (LDS) a configuration takes, and whether that fits.
#pragma once

#include <cstdint>

#include "arch/limits.hpp"
#include "weft/config.hpp"

namespace weft {

/// Bytes of the tile pipeline, without any reserve. gfx9 keeps the newest stage in registers, so
/// one stage fewer lies in shared memory. All fields >= 1; saturates at the largest int64.
std::int64_t pipeline_bytes(const FusedConfig& config, std::int64_t element_bytes,
                            arch::Family family) noexcept;

/// Refuses more than `limit` bytes; exactly `limit` passes with a note, since one word more, such
/// as a compiler's scratch, would not fit.
Validation check_shared_memory(std::int64_t bytes, std::int64_t limit);

}  // namespace weft
