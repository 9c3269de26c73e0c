// SPDX-License-Identifier: Apache-2.0
#include "tune/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/cpu/convert.hpp"
#include "weft/error.hpp"

namespace weft::tune {
namespace {

/// Operands of one problem with small integers, and the C that they must give.
struct Sample {
  explicit Sample(const Problem& problem) : p(problem) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> small(-4, 4);
    a.resize(static_cast<std::size_t>(p.m * p.k));
    b.resize(static_cast<std::size_t>(p.k * p.n));
    bias.resize(static_cast<std::size_t>(p.n));
    for (auto* values : {&a, &b, &bias}) {
      for (float& value : *values) value = static_cast<float>(small(random));
    }
    c.assign(static_cast<std::size_t>(p.m * p.n), 0);
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        float& sum = c[static_cast<std::size_t>(i * p.n + j)];
        for (std::int64_t k = 0; k < p.k; ++k) {
          sum +=
              a[static_cast<std::size_t>(i * p.k + k)] * b[static_cast<std::size_t>(k * p.n + j)];
        }
        if (p.has_bias) sum += bias[static_cast<std::size_t>(j)];
      }
    }
    store();
  }

  /// Cuts A into shards and stores everything in the problem's layout and type.
  void store() {
    shards.assign(static_cast<std::size_t>(p.world_size), {});
    const std::int64_t rows = p.m_local(), cols = p.k_local();
    for (std::int64_t rank = 0; rank < p.world_size; ++rank) {
      const std::int64_t m0 = p.shard_dim == ShardDim::kM ? rank * rows : 0;
      const std::int64_t k0 = p.shard_dim == ShardDim::kK ? rank * cols : 0;
      std::vector<float> shard(static_cast<std::size_t>(rows * cols));
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t k = 0; k < cols; ++k) {
          shard[static_cast<std::size_t>(a_transposed(p.layout) ? k * rows + i : i * cols + k)] =
              a[static_cast<std::size_t>((m0 + i) * p.k + k0 + k)];
        }
      }
      shards[static_cast<std::size_t>(rank)] = as_stored(shard);
    }
    std::vector<float> b_stored = b;
    if (b_transposed(p.layout)) {
      for (std::int64_t k = 0; k < p.k; ++k) {
        for (std::int64_t j = 0; j < p.n; ++j) {
          b_stored[static_cast<std::size_t>(j * p.k + k)] =
              b[static_cast<std::size_t>(k * p.n + j)];
        }
      }
    }
    b_bytes = as_stored(b_stored);
    bias_bytes = as_stored(bias);
    c_bytes = as_stored(c);
  }

  [[nodiscard]] std::vector<std::uint8_t> as_stored(const std::vector<float>& values) const {
    std::vector<std::uint8_t> bytes;
    for (const float value : values) {
      const std::uint16_t half = cpu::f32_to_bf16(value);
      const auto* from = p.dtype == DType::kBf16 ? reinterpret_cast<const std::uint8_t*>(&half)
                                                 : reinterpret_cast<const std::uint8_t*>(&value);
      bytes.insert(bytes.end(), from, from + element_bytes(p.dtype));
    }
    return bytes;
  }

  [[nodiscard]] RowCheck check() const {
    CheckedCall call{.problem = p, .b = b_bytes.data(), .c = c_bytes.data()};
    for (const auto& shard : shards) call.a_shards.push_back(shard.data());
    if (p.has_bias) call.bias = bias_bytes.data();
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < p.m; ++i) rows.push_back(i);
    return check_rows(call, rows);
  }

  Problem p;
  std::vector<float> a, b, bias, c;
  std::vector<std::vector<std::uint8_t>> shards;
  std::vector<std::uint8_t> b_bytes, bias_bytes, c_bytes;
};

TEST(CheckRows, FindsNoErrorInExactResults) {
  for (const Layout layout : {Layout::kNN, Layout::kNT, Layout::kTN, Layout::kTT}) {
    for (const ShardDim shard_dim : {ShardDim::kM, ShardDim::kK}) {
      for (const bool bias : {false, true}) {
        // N crosses a block of columns, K a block of depth.
        const Sample sample({.m = 6,
                             .n = 519,
                             .k = 75,
                             .world_size = 3,
                             .shard_dim = shard_dim,
                             .dtype = DType::kF32,
                             .layout = layout,
                             .has_bias = bias});
        const RowCheck found = sample.check();
        EXPECT_EQ(found.max_rel_err, 0) << to_string(sample.p);
        EXPECT_TRUE(found.within_bound) << to_string(sample.p);
      }
    }
  }
}

TEST(CheckRows, AllowsTheRoundingOfBf16Results) {
  const Sample sample({.m = 4,
                       .n = 40,
                       .k = 1536,
                       .world_size = 2,
                       .shard_dim = ShardDim::kK,
                       .dtype = DType::kBf16,
                       .has_bias = true});
  const RowCheck found = sample.check();
  EXPECT_TRUE(found.within_bound);
  EXPECT_GT(found.max_rel_err, 0);
  EXPECT_LE(found.max_rel_err, std::ldexp(1.0, -8));
}

TEST(CheckRows, ReportsAWrongElementAndItsPlace) {
  Sample sample({.m = 6, .n = 519, .k = 75, .world_size = 3});
  double largest = 0;
  for (const float value : sample.c) largest = std::max<double>(largest, std::abs(value));
  sample.c[4 * 519 + 517] += 2;
  sample.store();
  const RowCheck found = sample.check();
  EXPECT_FALSE(found.within_bound);
  EXPECT_DOUBLE_EQ(found.max_rel_err, 2 / largest);
  EXPECT_EQ(found.worst_row, 4);
  EXPECT_EQ(found.worst_col, 517);
  EXPECT_EQ(found.worst_value - found.worst_expected, 2);
}

TEST(CheckRows, TreatsNaNInCAsInfinitelyWrong) {
  Sample sample({.m = 4, .n = 8, .k = 8, .world_size = 2});
  sample.c[3 * 8 + 1] = std::numeric_limits<float>::quiet_NaN();
  sample.store();
  const RowCheck found = sample.check();
  EXPECT_FALSE(found.within_bound);
  EXPECT_EQ(found.max_rel_err, std::numeric_limits<double>::infinity());
  EXPECT_EQ(found.worst_row, 3);
}

TEST(CheckRows, RefusesTypesWithoutAReference) {
  Sample sample({.m = 4, .n = 8, .k = 8, .world_size = 2});
  sample.p.dtype = DType::kF16;
  EXPECT_THROW((void)sample.check(), Error);
}

TEST(SampleRows, HoldsBothEndsAndBothSidesOfEveryShardEdge) {
  const Problem by_m{.m = 1000, .n = 1, .k = 8, .world_size = 4, .shard_dim = ShardDim::kM};
  const auto rows = sample_rows(by_m, 16, 1);
  EXPECT_EQ(rows.size(), 16u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
  for (const std::int64_t row : {0, 249, 250, 499, 500, 749, 750, 999}) {
    EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), row)) << row;
  }
  EXPECT_NE(rows, sample_rows(by_m, 16, 2));
}

TEST(SampleRows, TakesEveryRowOfASmallM) {
  const Problem tiny{.m = 3, .n = 1, .k = 8, .world_size = 4, .shard_dim = ShardDim::kK};
  EXPECT_EQ(sample_rows(tiny, 16, 1), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(SampleRows, KeepsAllEdgesWhenTheyAreMoreThanAskedFor) {
  const Problem wide{.m = 64, .n = 1, .k = 8, .world_size = 16, .shard_dim = ShardDim::kM};
  EXPECT_EQ(sample_rows(wide, 16, 1).size(), 32u);
}

}  // namespace
}  // namespace weft::tune
