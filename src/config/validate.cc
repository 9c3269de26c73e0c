// SPDX-License-Identifier: Apache-2.0
// Every limit that a configuration must keep. Rules run in order; the first broken one is the
// answer.
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "arch/limits.hpp"
#include "config/divisor.hpp"
#include "config/shared_memory.hpp"
#include "core/message.hpp"
#include "schedule/grid.hpp"
#include "weft/config.hpp"

namespace weft {
namespace {

using arch::Family;
using arch::Limits;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kMaxCpuTile = 1 << 20;
constexpr std::int32_t kMaxTileSide = 256;  // of a GPU tile; also the longest side of a TMA box
constexpr std::int32_t kMaxFetchStages = 1024;
constexpr std::int32_t kMaxStages = 16;
constexpr std::int32_t kMaxXcds = 64;
constexpr std::int32_t kMaxGpuKPerFlag = 1 << 16;
constexpr std::int32_t kUnbounded = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kFlagBytes = 128;

template <class... Args>
Validation refuse(fmt::format_string<Args...> text, Args&&... args) {
  return {false, fmt::format(text, std::forward<Args>(args)...)};
}

struct FieldRange {
  std::string_view name;
  std::int32_t value, lo, hi;
};

Validation check_ranges(const FusedConfig& c, const Limits& limits) {
  const bool cpu = limits.family == Family::kCpu;
  const std::int32_t max_tile = cpu ? kMaxCpuTile : kMaxTileSide;
  const std::array<FieldRange, 10> ranges{{
      {"tile_m", c.tile_m, 1, max_tile},
      {"tile_n", c.tile_n, 1, max_tile},
      {"tile_k", c.tile_k, 1, max_tile},
      {"group_m", c.group_m, 1, kUnbounded},
      {"k_per_flag", c.k_per_flag, 1, cpu ? kUnbounded : kMaxGpuKPerFlag},
      {"num_fetch_stages", c.num_fetch_stages, 1, kMaxFetchStages},
      {"num_stages", c.num_stages, 1, cpu ? kUnbounded : kMaxStages},
      {"num_warps", c.num_warps, 1, cpu ? kUnbounded : limits.max_threads / limits.wave_size},
      {"chunk_m_tiles", c.chunk_m_tiles, 1, kUnbounded},
      {"num_xcds", c.num_xcds, 1, kMaxXcds},
  }};
  for (const FieldRange& r : ranges) {
    if (r.value >= r.lo && r.value <= r.hi) continue;
    if (r.hi == kUnbounded) return refuse("{}={} must be at least {}", r.name, r.value, r.lo);
    return refuse("{}={} must be {} to {} on {}", r.name, r.value, r.lo, r.hi, limits.key);
  }
  return {};
}

/// Fetchers have the lowest indices and never wait on consumers, so a later stage needs one unit
/// that is no fetcher. Fetchers of stage 0 join the consumers when nothing is left to fetch; so do
/// all fetchers of a CPU rank, where one thread is enough.
Validation check_fetchers(const FusedConfig& c, const Arch& target, const Limits& limits) {
  if (c.variant != Variant::kStaged) return {};
  const bool cpu = limits.family == Family::kCpu;
  const char* const units = cpu ? "threads of a rank" : "units of the chip";
  for (const auto& [name, value] : {std::pair{"num_fetch_sms", c.num_fetch_sms},
                                    std::pair{"first_stage_fetch_sms", c.first_stage_fetch_sms}}) {
    if (value < 1 || value > target.units) {
      return refuse("{}={} must be 1 to the {} {}", name, value, target.units, units);
    }
  }
  if (!cpu && c.num_fetch_sms >= target.units) {
    return refuse(
        "num_fetch_sms={} leaves none of the {} units of {} to compute, which would "
        "deadlock; use at most {}",
        c.num_fetch_sms, target.units, target.key, target.units - 1);
  }
  return {};
}

Validation check_workspace(const FusedConfig& c, const Problem& p) {
  if (c.variant != Variant::kStaged && c.variant != Variant::kCopyEngine) return {};
  const auto grid = schedule::make_grid({.m = p.m,
                                         .n = p.n,
                                         .k = p.k,
                                         .world_size = p.world_size,
                                         .shard_m = p.shard_dim == ShardDim::kM,
                                         .tile_m = c.tile_m,
                                         .tile_n = c.tile_n,
                                         .tile_k = c.tile_k,
                                         .group_m = c.group_m,
                                         .k_per_flag = c.k_per_flag,
                                         .num_fetch_stages = c.num_fetch_stages});
  // NOTE: check_problem bounds M * K * 4, so neither the staging size nor the flag count overflows.
  const std::int64_t staging = p.m * p.k * element_bytes(p.dtype);
  const std::int64_t flags = schedule::num_flags(grid);
  if (flags > (kMaxInt64 - staging) / kFlagBytes) {
    return refuse(
        "{} m-tiles x {} k-groups need {} flags of {} bytes, which overflows the "
        "workspace; use larger tile_m={}, tile_k={} or k_per_flag={}",
        grid.num_pieces, grid.num_k_groups, flags, kFlagBytes, c.tile_m, c.tile_k, c.k_per_flag);
  }
  return {};
}

Validation check_matrix_shape(const FusedConfig& c, std::int64_t bytes, const Limits& limits) {
  if (c.tile_m % limits.mma_m != 0) {
    return refuse("tile_m={} must be a multiple of {}, the rows of a matrix instruction of {}",
                  c.tile_m, limits.mma_m, limits.key);
  }
  if (c.tile_n % limits.mma_n != 0) {
    return refuse("tile_n={} must be a multiple of {}, the columns of a matrix instruction of {}",
                  c.tile_n, limits.mma_n, limits.key);
  }
  if (c.tile_k * bytes % limits.mma_k_bytes != 0) {
    return refuse(
        "tile_k={} of {}-byte elements must be a multiple of {} elements, the depth of a "
        "matrix instruction of {}",
        c.tile_k, bytes, limits.mma_k_bytes / bytes, limits.key);
  }
  return {};
}

/// Threads that hold sums: all of them, or on sm_90 all but the four warps of the producer.
Validation check_threads(const FusedConfig& c, const Limits& limits) {
  std::int64_t threads = std::int64_t{c.num_warps} * limits.wave_size;
  if (limits.family == Family::kSm90) {
    if (c.num_warps % 4 != 0 || c.num_warps < 8) {
      return refuse("num_warps={} must be 4 (the producer) + 4 for each consumer, at least 8",
                    c.num_warps);
    }
    threads -= std::int64_t{4} * limits.wave_size;
  } else if ((c.num_warps & (c.num_warps - 1)) != 0) {
    return refuse("num_warps={} must be a power of two from 1 to {}", c.num_warps,
                  limits.max_threads / limits.wave_size);
  }
  const std::int64_t sums = std::int64_t{c.tile_m} * c.tile_n;
  const std::int64_t per_thread = (sums + threads - 1) / threads;
  if (sums > limits.registers || per_thread > limits.registers_per_thread) {
    return refuse(
        "tile {}x{} needs {} registers in each of {} computing threads (num_warps={}), "
        "{} has {} per thread and {} in all; use a smaller tile or more warps",
        c.tile_m, c.tile_n, per_thread, threads, c.num_warps, limits.key,
        limits.registers_per_thread, limits.registers);
  }
  return {};
}

Validation check_k_per_flag(const FusedConfig& c, const Problem& p) {
  const std::int64_t k_tiles = schedule::ceil_div(p.k, c.tile_k);
  if (k_tiles % c.k_per_flag == 0) return {};
  return refuse("k_per_flag={} must divide K/tile_k={} (K={}, tile_k={}); largest that does: {}",
                c.k_per_flag, k_tiles, p.k, c.tile_k, largest_divisor(k_tiles, c.k_per_flag));
}

Validation check_gpu(const FusedConfig& c, const Problem& p, const Limits& limits) {
  if (limits.family == Family::kSm90 && p.dtype == DType::kF32 &&
      (p.layout != Layout::kNT || !c.allow_tf32)) {
    return refuse(
        "f32 on {} needs layout nt and allow_tf32=true (its matrix instruction rounds to "
        "tf32 and takes K-major operands), not layout {} and allow_tf32={}",
        limits.key, to_string(p.layout), c.allow_tf32);
  }
  const std::int64_t bytes = element_bytes(p.dtype);
  if (auto v = check_matrix_shape(c, bytes, limits); !v.legal) return v;
  if (auto v = check_threads(c, limits); !v.legal) return v;
  if (limits.k_per_flag_divides) {
    if (auto v = check_k_per_flag(c, p); !v.legal) return v;
  }
  return check_shared_memory(pipeline_bytes(c, bytes, limits.family) + limits.reserve_bytes,
                             limits.shared_memory_bytes);
}

}  // namespace

std::int64_t pipeline_bytes(const FusedConfig& c, std::int64_t element_bytes,
                            Family family) noexcept {
  const std::int64_t stages = family == Family::kGfx9 ? c.num_stages - 1 : c.num_stages;
  // NOTE: saturates instead of wrapping, for configurations that no range check has seen.
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(std::int64_t{c.tile_m} + c.tile_n, std::int64_t{c.tile_k}, &bytes) ||
      __builtin_mul_overflow(bytes, stages, &bytes) ||
      __builtin_mul_overflow(bytes, element_bytes, &bytes)) {
    return kMaxInt64;
  }
  return bytes;
}

Validation check_shared_memory(std::int64_t bytes, std::int64_t limit) {
  if (bytes > limit) {
    return refuse(
        "the tiles need {} bytes of shared memory, a work-group has {}; use a smaller "
        "tile_m, tile_n, tile_k or num_stages",
        bytes, limit);
  }
  if (bytes == limit) {
    return {true, fmt::format("shared memory is exactly full ({} of {} bytes): one word more would "
                              "not fit",
                              bytes, limit)};
  }
  return {};
}

Validation validate(const FusedConfig& config, const Problem& problem, const Arch& arch) {
  if (config.variant == Variant::kUnfused) {
    return refuse("variant unfused takes no configuration; leave the configuration out");
  }
  const Limits* const limits = arch::find_limits(arch.key);
  if (limits == nullptr) {
    return refuse("arch '{}' has no kernel in this build; only unfused runs there",
                  arch.known()        ? arch.device()
                  : arch.name.empty() ? arch.key
                                      : arch.name);
  }
  if (arch.units < 1) {
    return refuse("arch {} states no units; name the whole device, such as {}-304cu", arch.key,
                  arch.key);
  }
  if ((limits->dtypes & arch::bit(problem.dtype)) == 0) {
    return refuse("dtype {} has no fused kernel on {}; use {}", to_string(problem.dtype),
                  limits->key, limits->family == Family::kCpu ? "f32 or bf16" : "f32, bf16 or f16");
  }
  if (limits->family == Family::kCpu && config.variant == Variant::kCopyEngine) {
    return refuse("variant copy_engine needs DMA engines, which {} has not; use direct or staged",
                  limits->key);
  }
  if (auto v = check_ranges(config, *limits); !v.legal) return v;
  if (auto v = check_fetchers(config, arch, *limits); !v.legal) return v;
  if (auto v = check_workspace(config, problem); !v.legal) return v;
  return limits->family == Family::kCpu ? Validation{} : check_gpu(config, problem, *limits);
}

}  // namespace weft
