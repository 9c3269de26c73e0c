// SPDX-License-Identifier: Apache-2.0
// bf16 to f32 and back, row by row.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace weft::cpu {

/// Exact.
inline float bf16_to_f32(std::uint16_t value) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

/// Rounds to nearest, ties to even; NaN stays NaN.
inline std::uint16_t f32_to_bf16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
  const std::uint32_t quiet_nan = (bits >> 16) | 0x40U;
  return static_cast<std::uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? quiet_nan : rounded);
}

/// [rows, cols] of bf16 into f32. Leading dimensions in elements.
inline void widen(const std::uint16_t* src, std::int64_t ld_src, float* dst, std::int64_t ld_dst,
                  std::int64_t rows, std::int64_t cols) noexcept {
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint16_t* s = src + i * ld_src;
    float* d = dst + i * ld_dst;
    for (std::int64_t j = 0; j < cols; ++j) d[j] = bf16_to_f32(s[j]);
  }
}

/// [rows, cols] of f32, plus bias (bf16 per column, or null), rounded into bf16.
inline void narrow(const float* src, std::int64_t ld_src, const std::uint16_t* bias,
                   std::uint16_t* dst, std::int64_t ld_dst, std::int64_t rows,
                   std::int64_t cols) noexcept {
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* s = src + i * ld_src;
    std::uint16_t* d = dst + i * ld_dst;
    for (std::int64_t j = 0; j < cols; ++j) {
      d[j] = f32_to_bf16(bias == nullptr ? s[j] : s[j] + bf16_to_f32(bias[j]));
    }
  }
}

/// [rows, row_bytes] bytes; strides in bytes.
inline void copy_rows(const std::byte* src, std::int64_t src_stride, std::byte* dst,
                      std::int64_t dst_stride, std::int64_t rows, std::int64_t row_bytes) noexcept {
  if (src_stride == row_bytes && dst_stride == row_bytes) {
    std::memcpy(dst, src, static_cast<std::size_t>(rows * row_bytes));
    return;
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    std::memcpy(dst + i * dst_stride, src + i * src_stride, static_cast<std::size_t>(row_bytes));
  }
}

}  // namespace weft::cpu
