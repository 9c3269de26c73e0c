// SPDX-License-Identifier: Apache-2.0
// Warpgroup matrix products of 16-bit operands in shared memory, with f32 sums (PTX ISA 9.0,
// "Asynchronous Warpgroup Level Matrix Instructions").
#pragma once

#include <cstdint>

namespace weft::cuda::ptx {

/// Orders register and shared-memory accesses before the products that follow.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// Closes the group of products issued so far.
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most `kLeft` groups are under way.
template <int kLeft>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}

/// Keeps the compiler from moving uses of the sums across a fence or a wait.
template <int kCount>
__device__ inline void wgmma_hold(float (&d)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

/// Matrix descriptor of a tile with 128-byte swizzle. `leading`, `stride`: bytes.
__device__ inline std::uint64_t descriptor(std::uint32_t address, std::uint32_t leading,
                                           std::uint32_t stride) {
  constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62;
  return kSwizzle128 | (std::uint64_t{stride >> 4} << 32) | (std::uint64_t{leading >> 4} << 16) |
         ((address & 0x3FFFF) >> 4);
}

// Operands 8 at a time: their numbers in the instruction, and the registers behind them.
#define WEFT_R8(a, b, c, d, e, f, g, h) \
  "%" #a ",%" #b ",%" #c ",%" #d ",%" #e ",%" #f ",%" #g ",%" #h
#define WEFT_D8(i)                                                                          \
  "+f"(d[(i) + 0]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3]), "+f"(d[(i) + 4]), \
      "+f"(d[(i) + 5]), "+f"(d[(i) + 6]), "+f"(d[(i) + 7])
#define WEFT_D32(i) WEFT_D8(i), WEFT_D8((i) + 8), WEFT_D8((i) + 16), WEFT_D8((i) + 24)

// clang-format off
#define WEFT_SUMS_128 \
  WEFT_R8(0, 1, 2, 3, 4, 5, 6, 7) "," WEFT_R8(8, 9, 10, 11, 12, 13, 14, 15) "," \
  WEFT_R8(16, 17, 18, 19, 20, 21, 22, 23) "," WEFT_R8(24, 25, 26, 27, 28, 29, 30, 31) "," \
  WEFT_R8(32, 33, 34, 35, 36, 37, 38, 39) "," WEFT_R8(40, 41, 42, 43, 44, 45, 46, 47) "," \
  WEFT_R8(48, 49, 50, 51, 52, 53, 54, 55) "," WEFT_R8(56, 57, 58, 59, 60, 61, 62, 63)
#define WEFT_SUMS_256 \
  WEFT_R8(0, 1, 2, 3, 4, 5, 6, 7) "," WEFT_R8(8, 9, 10, 11, 12, 13, 14, 15) "," \
  WEFT_R8(16, 17, 18, 19, 20, 21, 22, 23) "," WEFT_R8(24, 25, 26, 27, 28, 29, 30, 31) "," \
  WEFT_R8(32, 33, 34, 35, 36, 37, 38, 39) "," WEFT_R8(40, 41, 42, 43, 44, 45, 46, 47) "," \
  WEFT_R8(48, 49, 50, 51, 52, 53, 54, 55) "," WEFT_R8(56, 57, 58, 59, 60, 61, 62, 63) "," \
  WEFT_R8(64, 65, 66, 67, 68, 69, 70, 71) "," WEFT_R8(72, 73, 74, 75, 76, 77, 78, 79) "," \
  WEFT_R8(80, 81, 82, 83, 84, 85, 86, 87) "," WEFT_R8(88, 89, 90, 91, 92, 93, 94, 95) "," \
  WEFT_R8(96, 97, 98, 99, 100, 101, 102, 103) "," WEFT_R8(104, 105, 106, 107, 108, 109, 110, 111) "," \
  WEFT_R8(112, 113, 114, 115, 116, 117, 118, 119) "," WEFT_R8(120, 121, 122, 123, 124, 125, 126, 127)
// clang-format on

#define WEFT_WGMMA_128(type)                                                          \
  asm volatile(                                                                       \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"                                    \
      "wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {" WEFT_SUMS_128 \
      "}, %64, %65, p, 1, 1, %67, %68;\n}"                                            \
      : WEFT_D32(0), WEFT_D32(32)                                                     \
      : "l"(a), "l"(b), "r"(accumulate), "n"(kAT), "n"(kBT))

/// d[64,128] (+)= A[64,16] * B[16,128]. kAT, kBT: stored along M, along N.
template <bool kF16, int kAT, int kBT>
__device__ inline void wgmma(float (&d)[64], std::uint64_t a, std::uint64_t b, int accumulate) {
  if constexpr (kF16) {
    WEFT_WGMMA_128("f16");
  } else {
    WEFT_WGMMA_128("bf16");
  }
}

#define WEFT_WGMMA_256(type)                                                          \
  asm volatile(                                                                       \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"                                   \
      "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " {" WEFT_SUMS_256 \
      "}, %128, %129, p, 1, 1, %131, %132;\n}"                                        \
      : WEFT_D32(0), WEFT_D32(32), WEFT_D32(64), WEFT_D32(96)                         \
      : "l"(a), "l"(b), "r"(accumulate), "n"(kAT), "n"(kBT))

/// d[64,256] (+)= A[64,16] * B[16,256]. kAT, kBT: stored along M, along N.
template <bool kF16, int kAT, int kBT>
__device__ inline void wgmma(float (&d)[128], std::uint64_t a, std::uint64_t b, int accumulate) {
  if constexpr (kF16) {
    WEFT_WGMMA_256("f16");
  } else {
    WEFT_WGMMA_256("bf16");
  }
}

#undef WEFT_R8
#undef WEFT_D8
#undef WEFT_D32
#undef WEFT_SUMS_128
#undef WEFT_WGMMA_128
#undef WEFT_SUMS_256
#undef WEFT_WGMMA_256

}  // namespace weft::cuda::ptx
