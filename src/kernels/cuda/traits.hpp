// SPDX-License-Identifier: Apache-2.0
// The shape of one compiled instance of the Hopper kernel, and the shared memory it needs. Host and
// device; the device sees it through the definitions that the compiler is given.
#pragma once

#include <cstdint>

#include "kernels/shared/portability.hpp"

namespace weft::cuda {

/// Compile-time values of one instance.
struct Traits {
  std::int32_t tile_n = 256;    ///< 128 or 256
  std::int32_t num_stages = 4;  ///< depth of the operand ring
  std::int32_t cluster_m = 2;   ///< work-groups that share one tile of B: 1 or 2
  bool a_t = false, b_t = false;
  bool f16 = false;   ///< else bf16
  bool bias = false;  ///< added to each row of C
  WEFT_HD friend constexpr bool operator==(const Traits&, const Traits&) = default;
};

inline constexpr std::int32_t kTileM = 128;  ///< two consumer warpgroups of 64 rows
inline constexpr std::int32_t kTileK = 64;   ///< 128 bytes: one swizzle atom
inline constexpr std::int32_t kElementBytes = 2;
inline constexpr std::int32_t kNumConsumers = 2;
inline constexpr std::int32_t kNumThreads = 128 * (1 + kNumConsumers);
/// Side of the square boxes in which operands stored along M or N, and C, are moved.
inline constexpr std::int32_t kBox = 64;
inline constexpr std::int32_t kBoxBytes = kBox * kBox * kElementBytes;
/// C leaves by warp, 16 rows of a box at a time.
inline constexpr std::int32_t kStoreRows = 16;
inline constexpr std::int32_t kStoreBytes = kStoreRows * kBox * kElementBytes;
inline constexpr std::int32_t kStoreBuffers = 2;    ///< per warp
inline constexpr std::int32_t kBarrierBytes = 512;  ///< barriers and tile slots
inline constexpr std::int32_t kAlignBytes = 1024;   ///< of swizzled tiles

WEFT_HD constexpr std::int32_t a_stage_bytes() { return kTileM * kTileK * kElementBytes; }
WEFT_HD constexpr std::int32_t b_stage_bytes(const Traits& t) {
  return t.tile_n * kTileK * kElementBytes;
}
WEFT_HD constexpr std::int32_t stage_bytes(const Traits& t) {
  return a_stage_bytes() + b_stage_bytes(t);
}
/// Dynamic shared memory of one work-group.
WEFT_HD constexpr std::int32_t shared_bytes(const Traits& t) {
  return t.num_stages * stage_bytes(t) + kTileM / kStoreRows * kStoreBuffers * kStoreBytes +
         kBarrierBytes + kAlignBytes;
}

}  // namespace weft::cuda
