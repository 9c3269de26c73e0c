// SPDX-License-Identifier: Apache-2.0
#include "tune/space.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "schedule/grid.hpp"

namespace weft::tune {
namespace {

Arch cpu(std::int32_t threads) {
  return {.key = "cpu_avx2", .units = threads, .cpu_model = "25.1", .name = "a CPU"};
}

Problem problem(std::int64_t m, std::int64_t n, std::int64_t k, ShardDim shard_dim = ShardDim::kK,
                std::int32_t world_size = 2) {
  return {.m = m, .n = n, .k = k, .world_size = world_size, .shard_dim = shard_dim};
}

std::int64_t num_tiles(const FusedConfig& c, const Problem& p) {
  return schedule::num_tiles(schedule::make_grid({.m = p.m,
                                                  .n = p.n,
                                                  .k = p.k,
                                                  .world_size = p.world_size,
                                                  .shard_m = p.shard_dim == ShardDim::kM,
                                                  .tile_m = c.tile_m,
                                                  .tile_n = c.tile_n,
                                                  .tile_k = c.tile_k}));
}

TEST(CpuCandidates, OfALargeProblemHoldWholeShardsAndTilesOf256By1024) {
  const Problem p = problem(4096, 2048, 4096);
  const std::vector<FusedConfig> all = cpu_candidates(p, cpu(1));
  const auto has = [&](Variant variant, std::int32_t m, std::int32_t n, std::int32_t k) {
    return std::any_of(all.begin(), all.end(), [&](const FusedConfig& c) {
      return c.variant == variant && c.tile_m == m && c.tile_n == n && c.tile_k == k;
    });
  };
  EXPECT_TRUE(has(Variant::kDirect, 4096, 2048, 2048));
  EXPECT_TRUE(has(Variant::kDirect, 1024, 2048, 2048));
  EXPECT_TRUE(has(Variant::kDirect, 512, 2048, 2048));
  EXPECT_TRUE(has(Variant::kDirect, 256, 1024, 2048));
  EXPECT_TRUE(has(Variant::kStaged, 2048, 2048, 2048));
}

TEST(CpuCandidates, OfATinyProblemAreFew) {
  const std::vector<FusedConfig> all = cpu_candidates(problem(2, 1, 2), cpu(1));
  EXPECT_GE(all.size(), 2U);
  EXPECT_LE(all.size(), 4U) << "all tiles are clipped to the same";
}

TEST(CpuCandidates, AloneHaveNothingToStage) {
  for (const FusedConfig& c : cpu_candidates(problem(2048, 2048, 2048, ShardDim::kK, 1), cpu(1))) {
    EXPECT_EQ(c.variant, Variant::kDirect) << to_string(c);
  }
}

TEST(CpuCandidates, OfOtherChipsAreNone) {
  const Arch gpu{.key = "gfx942", .units = 304, .cpu_model = "", .name = ""};
  EXPECT_TRUE(cpu_candidates(problem(4096, 4096, 4096), gpu).empty());
}

TEST(CpuCandidates, OfATypeWithoutAKernelAreNone) {
  Problem p = problem(4096, 4096, 4096);
  p.dtype = DType::kF16;
  EXPECT_TRUE(cpu_candidates(p, cpu(1)).empty());
}

RC_GTEST_PROP(CpuCandidates, AreLegalDistinctFewAndBusyAllThreads, ()) {
  const auto shard_dim = *rc::gen::element(ShardDim::kM, ShardDim::kK);
  const auto world_size = *rc::gen::inRange(1, 17);
  const auto threads = *rc::gen::inRange(1, 65);
  const auto size = rc::gen::inRange<std::int64_t>(1, 20000);
  Problem p = problem(*size, *size, *size, shard_dim, world_size);
  (shard_dim == ShardDim::kM ? p.m : p.k) *= world_size;
  check_problem(p);

  const Arch arch = cpu(threads);
  const std::vector<FusedConfig> all = cpu_candidates(p, arch);
  RC_ASSERT(!all.empty());
  RC_ASSERT(all.size() <= kMaxCpuCandidates);
  for (std::size_t i = 0; i < all.size(); ++i) {
    RC_ASSERT(validate(all[i], p, arch).reason == "");
    RC_ASSERT(std::count(all.begin(), all.end(), all[i]) == 1);
    RC_ASSERT(all[i].tile_m <= p.m && all[i].tile_n <= p.n && all[i].tile_k <= p.k_local());
    if (p.m >= threads) RC_ASSERT(num_tiles(all[i], p) * 2 >= threads);
  }
}

}  // namespace
}  // namespace weft::tune
