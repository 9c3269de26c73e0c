// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/convert.hpp"
#include "kernels/cpu/micro_kernel.hpp"
#include "kernels/shared/flags.hpp"

namespace weft::cpu {
namespace {

TEST(Convert, EveryBf16ValueComesBack) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const float value = bf16_to_f32(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(value))));
    } else {
      EXPECT_EQ(f32_to_bf16(value), bits);
    }
  }
}

TEST(Convert, RoundsToNearestEven) {
  EXPECT_EQ(bf16_to_f32(f32_to_bf16(1.0F + 1.0F / 256)), 1.0F);              // tie, even below
  EXPECT_EQ(bf16_to_f32(f32_to_bf16(1.0F + 3.0F / 256)), 1.0F + 1.0F / 64);  // tie, even above
  EXPECT_EQ(bf16_to_f32(f32_to_bf16(257.0F)), 256.0F);
  EXPECT_TRUE(std::isinf(bf16_to_f32(f32_to_bf16(std::numeric_limits<float>::max()))));
}

TEST(Flags, EpochsCompareAcrossTheWrap) {
  EXPECT_TRUE(epoch_reached(5, 5));
  EXPECT_FALSE(epoch_reached(4, 5));
  EXPECT_TRUE(epoch_reached(2, 0xFFFFFFFEU));
  EXPECT_FALSE(epoch_reached(0xFFFFFFFEU, 2));
  EXPECT_TRUE(epoch_reached(0x80000001U, 0x7FFFFFFFU));
}

TEST(Flags, WaitEndsWhenGivenUp) {
  Flag flag;
  EXPECT_FALSE(wait_flag(flag, 1, [] { return true; }));
  set_flag(flag, 1);
  EXPECT_TRUE(wait_flag(flag, 1, [] { return true; }));
}

TEST(MicroKernel, IsExactInAllLayoutsAndDoesNotReadC) {
  constexpr std::int64_t kM = 19, kN = 37, kK = 300, kPad = 2;
  const auto a_at = [](std::int64_t i, std::int64_t k) { return float((i * 7 + k * 3) % 5 - 2); };
  const auto b_at = [](std::int64_t k, std::int64_t j) { return float((k * 11 + j) % 7 - 3); };
  for (const bool a_t : {false, true}) {
    for (const bool b_t : {false, true}) {
      const std::int64_t lda = (a_t ? kM : kK) + kPad, ldb = (b_t ? kK : kN) + kPad;
      std::vector<float> a(static_cast<std::size_t>((a_t ? kK : kM) * lda));
      std::vector<float> b(static_cast<std::size_t>((b_t ? kN : kK) * ldb));
      std::vector<float> c(static_cast<std::size_t>(kM * (kN + kPad)), std::nanf(""));
      for (std::int64_t k = 0; k < kK; ++k) {
        for (std::int64_t i = 0; i < kM; ++i) {
          a[static_cast<std::size_t>(a_t ? k * lda + i : i * lda + k)] = a_at(i, k);
        }
        for (std::int64_t j = 0; j < kN; ++j) {
          b[static_cast<std::size_t>(b_t ? j * ldb + k : k * ldb + j)] = b_at(k, j);
        }
      }
      Sgemm call{.a_t = a_t,
                 .b_t = b_t,
                 .m = kM,
                 .n = kN,
                 .k = kK,
                 .a = a.data(),
                 .lda = lda,
                 .b = b.data(),
                 .ldb = ldb,
                 .accumulate = false,
                 .c = c.data(),
                 .ldc = kN + kPad};
      sgemm(call, 1);
      call.accumulate = true;
      sgemm(call, 2);
      for (std::int64_t i = 0; i < kM; ++i) {
        for (std::int64_t j = 0; j < kN; ++j) {
          float sum = 0;
          for (std::int64_t k = 0; k < kK; ++k) sum += a_at(i, k) * b_at(k, j);
          ASSERT_EQ(c[static_cast<std::size_t>(i * (kN + kPad) + j)], 2 * sum)
              << a_t << b_t << " " << i << "," << j;
        }
        EXPECT_TRUE(std::isnan(c[static_cast<std::size_t>(i * (kN + kPad) + kN)]));
      }
    }
  }
}

TEST(MicroKernel, SaysWhichOneItIs) {
  EXPECT_FALSE(micro_kernel_name().empty());
  EXPECT_EQ(micro_kernel_name().rfind(micro_kernel_library(), 0), 0u);
}

}  // namespace
}  // namespace weft::cpu
