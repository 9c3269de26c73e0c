// SPDX-License-Identifier: Apache-2.0
#include "ops/operands.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "kernels/cpu/convert.hpp"
#include "weft/error.hpp"

namespace weft::ops {
namespace {

template <class T>
std::vector<T> random_values(DType dtype, std::size_t count, std::uint64_t seed) {
  std::vector<T> values(count);
  fill_random(dtype, std::as_writable_bytes(std::span(values)), seed);
  return values;
}

TEST(FillRandom, IsSpreadOverMinusOneToOneAndSeeded) {
  const auto values = random_values<float>(DType::kF32, 10000, 7);
  double sum = 0;
  double squares = 0;
  for (const float v : values) {
    ASSERT_GE(v, -1);
    ASSERT_LT(v, 1);
    sum += v;
    squares += v * v;
  }
  // Five standard deviations of the mean and of the mean square of 10,000 uniform values.
  EXPECT_NEAR(sum / 1e4, 0, 5 * 0.0058);
  EXPECT_NEAR(squares / 1e4, 1.0 / 3, 5 * 0.003);
  EXPECT_EQ(values, random_values<float>(DType::kF32, 10000, 7));
  EXPECT_NE(values, random_values<float>(DType::kF32, 10000, 8));
}

TEST(FillRandom, Bf16IsTheRoundedF32) {
  const auto wide = random_values<float>(DType::kF32, 100, 3);
  const auto narrow = random_values<std::uint16_t>(DType::kBf16, 100, 3);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    EXPECT_EQ(narrow[i], cpu::f32_to_bf16(wide[i])) << i;
  }
}

TEST(FillRandom, RefusesTypesACpuDoesNotRun) {
  std::vector<std::byte> bytes(8);
  EXPECT_THROW(fill_random(DType::kF16, bytes, 1), Error);
}

TEST(NumOperandSets, CoverTwiceTheCacheWithinTheBudget) {
  EXPECT_EQ(num_operand_sets(10, 100, 1000), 20);
  EXPECT_EQ(num_operand_sets(300, 100, 1000), 2) << "two sets at least";
  EXPECT_EQ(num_operand_sets(10, 100, 55), 5) << "no more than the budget";
  EXPECT_EQ(num_operand_sets(300, 100, 200), 1) << "one set even then";
}

TEST(Operands, SetsOfAllRanksAreDisjointAndAligned) {
  const Problem p{.m = 6, .n = 5, .k = 8, .world_size = 2, .has_bias = true};
  Operands operands(p, 3);
  operands.allocate(0);
  operands.allocate(1);
  std::set<const void*> begins;
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    for (std::int64_t call = 0; call < 3; ++call) {
      const RunArgs args = operands.args(rank, call);
      for (const void* begin :
           {args.a_shard, args.b, args.bias, static_cast<const void*>(args.c)}) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begin) % 128, 0U);
        begins.insert(begin);
      }
      EXPECT_EQ(operands.args(rank, call + 3).c, args.c) << "the sets take turns";
    }
  }
  EXPECT_EQ(begins.size(), 2U * 3 * 4);
}

TEST(Operands, PoisonIsNanInEveryElementOfC) {
  for (const DType dtype : {DType::kF32, DType::kBf16}) {
    const Problem p{.m = 3, .n = 5, .k = 8, .world_size = 2, .dtype = dtype};
    Operands operands(p, 1);
    operands.allocate(0);
    operands.allocate(1);
    operands.poison(1, 0);
    for (std::size_t i = 0; i < 15; ++i) {
      const void* const c = operands.args(1, 0).c;
      const float value = dtype == DType::kF32
                              ? static_cast<const float*>(c)[i]
                              : cpu::bf16_to_f32(static_cast<const std::uint16_t*>(c)[i]);
      EXPECT_TRUE(std::isnan(value)) << to_string(dtype) << " " << i;
    }
    EXPECT_EQ(static_cast<const std::byte*>(operands.args(0, 0).c)[0], std::byte{0});
  }
}

}  // namespace
}  // namespace weft::ops
