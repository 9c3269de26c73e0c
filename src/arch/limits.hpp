// SPDX-License-Identifier: Apache-2.0
// One table of the chips weft knows, with the limits that `validate` checks against. A chip that is
// not listed runs `unfused`.
//
// Sources: sm_90: CUDA C++ Programming Guide, "Compute Capabilities", and the PTX ISA's wgmma
// shapes. gfx942, gfx950: AMD CDNA 3 and CDNA 4 instruction set guides (LDS, vector registers, MFMA
// shapes).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "weft/problem.hpp"

namespace weft::arch {

/// Which rules hold.
enum class Family : std::uint8_t { kCpu, kGfx9, kSm90 };

/// Element types as a set.
constexpr std::uint32_t bit(DType dtype) noexcept { return 1U << static_cast<unsigned>(dtype); }

/// What one chip can hold and do. Fields that mean nothing on a CPU are 0 there.
struct Limits {
  std::string_view key;  ///< Arch::key
  Family family = Family::kCpu;
  std::uint32_t dtypes = 0;               ///< set of bit(DType)
  std::int64_t shared_memory_bytes = 0;   ///< one work-group may use
  std::int64_t reserve_bytes = 0;         ///< of it, that our kernel needs besides its tiles
  std::int32_t max_threads = 0;           ///< a work-group
  std::int32_t wave_size = 0;             ///< threads a warp (wave)
  std::int32_t registers = 0;             ///< 32-bit ones, of one unit
  std::int32_t registers_per_thread = 0;  ///< 32-bit ones
  std::int32_t mma_m = 0;           ///< tile_m must be a multiple: rows of one matrix instruction
  std::int32_t mma_n = 0;           ///< tile_n must be a multiple: columns of one
  std::int32_t mma_k_bytes = 0;     ///< tile_k times the element size must be a multiple
  bool k_per_flag_divides = false;  ///< k_per_flag must divide K/tile_k
};

inline constexpr std::uint32_t kCpuDTypes = bit(DType::kF32) | bit(DType::kBf16);
inline constexpr std::uint32_t kGpuDTypes = kCpuDTypes | bit(DType::kF16);

inline constexpr std::array<Limits, 6> kLimits{{
    {.key = "cpu_avx512", .family = Family::kCpu, .dtypes = kCpuDTypes},
    {.key = "cpu_avx2", .family = Family::kCpu, .dtypes = kCpuDTypes},
    {.key = "cpu_generic", .family = Family::kCpu, .dtypes = kCpuDTypes},
    {.key = "gfx942",
     .family = Family::kGfx9,
     .dtypes = kGpuDTypes,
     .shared_memory_bytes = 65'536,
     .max_threads = 1024,
     .wave_size = 64,
     .registers = 131'072,
     .registers_per_thread = 512,
     .mma_m = 16,
     .mma_n = 16,
     .mma_k_bytes = 16,
     .k_per_flag_divides = true},
    {.key = "gfx950",
     .family = Family::kGfx9,
     .dtypes = kGpuDTypes,
     .shared_memory_bytes = 163'840,
     .max_threads = 1024,
     .wave_size = 64,
     .registers = 131'072,
     .registers_per_thread = 512,
     .mma_m = 16,
     .mma_n = 16,
     .mma_k_bytes = 16,
     .k_per_flag_divides = true},
    {.key = "sm_90",
     .family = Family::kSm90,
     .dtypes = kGpuDTypes,
     .shared_memory_bytes = 232'448,
     .max_threads = 1024,
     .wave_size = 32,
     .registers = 65'536,
     .registers_per_thread = 255,
     .mma_m = 64,
     .mma_n = 8,
     .mma_k_bytes = 32},
}};

/// The row of `key`, or nullptr for a chip that is not listed.
constexpr const Limits* find_limits(std::string_view key) noexcept {
  for (const Limits& row : kLimits) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

}  // namespace weft::arch
