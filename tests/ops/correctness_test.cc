// SPDX-License-Identifier: Apache-2.0
// Every variant, layout, shard dimension, type and number of ranks gives exact results.
#include <gtest/gtest.h>

#include <tuple>

#include "ops/harness.hpp"

namespace weft::testing {
namespace {

struct Size {
  std::int64_t m_per_rank, n, k_per_rank;  // ragged against the tiles below
};
constexpr Size kSizes[] = {{16, 16, 16}, {13, 37, 11}, {1, 1, 1}, {3, 70, 29}};

Problem problem_of(ShardDim dim, Layout layout, DType dtype, std::int32_t ranks, Size size) {
  Problem p;
  p.world_size = ranks;
  p.shard_dim = dim;
  p.layout = layout;
  p.dtype = dtype;
  p.m = dim == ShardDim::kM ? size.m_per_rank * ranks : size.m_per_rank * 3;
  p.k = dim == ShardDim::kK ? size.k_per_rank * ranks : size.k_per_rank * 3;
  p.n = size.n;
  return p;
}

FusedConfig small_tiles(Variant variant) {
  FusedConfig c;
  c.variant = variant;
  c.tile_m = 8;
  c.tile_n = 24;
  c.tile_k = 5;
  c.group_m = 2;
  c.k_per_flag = 2;
  c.num_fetch_stages = 3;
  return c;
}

using Parameters = std::tuple<ShardDim, Layout, DType, std::int32_t>;
class Exact : public ::testing::TestWithParam<Parameters> {
 protected:
  void each_size(const std::function<void(Case&)>& fn) {
    const auto [dim, layout, dtype, ranks] = GetParam();
    for (const Size size : kSizes) {
      Case c;
      c.problem = problem_of(dim, layout, dtype, ranks, size);
      fn(c);
    }
  }
};

TEST_P(Exact, Direct) {
  each_size([](Case& c) {
    c.config = small_tiles(Variant::kDirect);
    EXPECT_EQ(run_case(c), "");
    c.problem.has_bias = true;
    c.problem.return_gathered_a = true;
    c.threads = 2;
    EXPECT_EQ(run_case(c), "");
  });
}

TEST_P(Exact, Staged) {
  each_size([](Case& c) {
    c.config = small_tiles(Variant::kStaged);
    EXPECT_EQ(run_case(c), "");
    c.problem.has_bias = true;
    c.problem.return_gathered_a = true;
    c.threads = 3;
    c.config->first_stage_fetch_sms = 2;
    EXPECT_EQ(run_case(c), "");
    c.config->num_fetch_sms = 3;
    c.problem.same_on_all_ranks = true;
    EXPECT_EQ(run_case(c), "");
  });
}

TEST_P(Exact, UnfusedInEveryForm) {
  each_size([](Case& c) {
    for (const UnfusedForm form :
         {UnfusedForm::kStridedCopy, UnfusedForm::kGatherRelayout, UnfusedForm::kGatherPerShard}) {
      c.form = form;
      c.problem.has_bias = false;
      c.problem.return_gathered_a = false;
      EXPECT_EQ(run_case(c), "");
      c.problem.has_bias = true;
      c.problem.return_gathered_a = true;
      EXPECT_EQ(run_case(c), "");
    }
  });
}

std::string name_of(const ::testing::TestParamInfo<Parameters>& parameters) {
  const auto& [dim, layout, dtype, ranks] = parameters.param;
  return std::string(to_string(dim)) + "_" + std::string(to_string(layout)) + "_" +
         std::string(to_string(dtype)) + "_ws" + std::to_string(ranks);
}

INSTANTIATE_TEST_SUITE_P(
    All, Exact,
    ::testing::Combine(::testing::Values(ShardDim::kM, ShardDim::kK),
                       ::testing::Values(Layout::kNN, Layout::kNT, Layout::kTN, Layout::kTT),
                       ::testing::Values(DType::kF32, DType::kBf16), ::testing::Values(1, 2, 3, 8)),
    name_of);

TEST(ExactRanks, EveryWorldSizeTo16) {
  for (std::int32_t ranks = 4; ranks <= 16; ++ranks) {
    for (const Variant variant : {Variant::kDirect, Variant::kStaged}) {
      Case c;
      c.problem = problem_of(ranks % 2 == 0 ? ShardDim::kK : ShardDim::kM, Layout::kNN, DType::kF32,
                             ranks, {5, 19, 7});
      c.config = small_tiles(variant);
      EXPECT_EQ(run_case(c), "");
    }
  }
}

TEST(ExactTiles, WholeMatrixAsOneTile) {
  for (const DType dtype : {DType::kF32, DType::kBf16}) {
    for (const ShardDim dim : {ShardDim::kM, ShardDim::kK}) {
      Case c;
      c.problem = problem_of(dim, Layout::kNN, dtype, 2, {40, 50, 700});
      c.config = small_tiles(Variant::kDirect);
      c.config->tile_m = c.config->tile_n = c.config->tile_k = 1 << 20;
      EXPECT_EQ(run_case(c), "");
      c.config->variant = Variant::kStaged;
      EXPECT_EQ(run_case(c), "");
    }
  }
}

}  // namespace
}  // namespace weft::testing
