// SPDX-License-Identifier: Apache-2.0
// Portable defaults by family of chips.
#include <algorithm>

#include "arch/limits.hpp"
#include "config/divisor.hpp"
#include "schedule/grid.hpp"
#include "weft/select.hpp"

namespace weft {
namespace {

/// Tiles of 256 x 1024: wide enough for the micro-kernel to run near its peak. `direct` takes a
/// whole shard at once; `staged` cuts it, so that computing can start before all of it has come.
FusedConfig cpu_default(Variant variant, const Problem& p) {
  constexpr std::int64_t kWidest = 1024;
  constexpr std::int64_t kDeepest = 1 << 20;
  constexpr std::int64_t kStagedDepth = 1024;
  FusedConfig c;
  c.variant = variant;
  c.tile_m = 256;
  c.tile_n = static_cast<std::int32_t>(std::min(p.n, kWidest));
  c.tile_k = static_cast<std::int32_t>(
      std::min(p.k_local(), variant == Variant::kStaged ? kStagedDepth : kDeepest));
  return c;
}

FusedConfig gpu_default(Variant variant, const Problem& p, const Arch& arch,
                        const arch::Limits& limits) {
  constexpr std::int64_t kTileBytes = 128;  // of a tile's row along K
  constexpr std::int64_t kFlagDepth = 8;
  constexpr std::int32_t kFetchers = 16;
  const bool hopper = limits.family == arch::Family::kSm90;
  FusedConfig c;
  c.variant = variant;
  c.tile_m = 128;
  c.tile_n = hopper ? 256 : 128;
  c.tile_k = static_cast<std::int32_t>(kTileBytes / element_bytes(p.dtype));
  c.group_m = 8;
  c.k_per_flag =
      static_cast<std::int32_t>(largest_divisor(schedule::ceil_div(p.k, c.tile_k), kFlagDepth));
  c.num_fetch_sms = std::clamp(arch.units - 1, 1, kFetchers);
  c.first_stage_fetch_sms = c.num_fetch_sms;
  c.num_stages = hopper ? 4 : 2;
  c.num_warps = hopper ? 12 : 4;
  c.allow_tf32 = hopper && p.dtype == DType::kF32;
  return c;
}

}  // namespace

FusedConfig default_config(Variant variant, const Problem& problem, const Arch& arch) {
  const arch::Limits* const limits = arch::find_limits(arch.key);
  if (limits == nullptr || limits->family == arch::Family::kCpu) {
    return cpu_default(variant, problem);
  }
  return gpu_default(variant, problem, arch, *limits);
}

}  // namespace weft
