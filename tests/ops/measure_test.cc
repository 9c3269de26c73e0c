// SPDX-License-Identifier: Apache-2.0
#include "ops/measure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tune/space.hpp"
#include "weft/error.hpp"

namespace weft::ops {
namespace {

/// Eleven pairs: fused about 2 s, unfused about 3 s, product 1.8 s, gather 0.9 s.
MeasureSamples samples() {
  MeasureSamples s;
  s.floor_ratios.assign(21, 1.0);
  for (int i = 0; i < 11; ++i) {
    const double wobble = 0.01 * ((i * 7) % 11 - 5);
    s.pairs.a.insert(s.pairs.a.end(), {2.0, 2.0});
    s.pairs.b.insert(s.pairs.b.end(), {3.0 + wobble, 3.0 + wobble});
    s.pairs.ratios.push_back((3.0 + wobble) / 2.0);
    s.gemm.push_back(1.8);
    s.gather.push_back(0.9);
  }
  return s;
}

Measurement measured() {
  Measurement m = summarize(samples());
  m.problem = {.m = 96, .n = 24, .k = 200, .world_size = 2};
  m.config = FusedConfig{};
  m.max_rel_err = 1e-6;
  return m;
}

TEST(Summarize, FollowsTheDefinitions) {
  const Measurement m = summarize(samples());
  EXPECT_EQ(m.pairs, 11);
  EXPECT_DOUBLE_EQ(m.speedup, 1.5);
  EXPECT_DOUBLE_EQ(m.bounds.lo, 2.97 / 2) << "the third smallest of 11";
  EXPECT_DOUBLE_EQ(m.bounds.hi, 3.03 / 2);
  EXPECT_DOUBLE_EQ(m.bound, 3.0 / 1.8);
  EXPECT_DOUBLE_EQ(m.bound_share, 1.8 / 2.0);
  ASSERT_TRUE(m.overlap_efficiency.has_value());
  EXPECT_DOUBLE_EQ(*m.overlap_efficiency, 1 - (2.0 - 1.8) / (3.0 - 1.8));
  EXPECT_EQ(m.t_fused, (tune::Spread{2, 2, 2}));
  EXPECT_EQ(m.floor_pairs, 21);
}

TEST(Summarize, TheGatherBoundsWhenItIsLonger) {
  MeasureSamples s = samples();
  s.gather.assign(11, 2.4);
  const Measurement m = summarize(s);
  EXPECT_DOUBLE_EQ(m.bound, 3.0 / 2.4);
  EXPECT_DOUBLE_EQ(m.bound_share, 2.4 / 2.0);
}

TEST(Summarize, NoOverlapEfficiencyWithinTwoNoiseFloors) {
  MeasureSamples s = samples();
  s.floor_ratios.clear();
  // Half-width 0.21: two of them, of 3 s, are 1.26 s; unfused minus product is 1.2 s.
  for (int i = 0; i < 21; ++i) s.floor_ratios.push_back(i % 2 == 0 ? 0.79 : 1.21);
  const Measurement m = summarize(s);
  EXPECT_NEAR(m.noise_floor, 0.21, 1e-12);
  EXPECT_FALSE(m.overlap_efficiency.has_value());
}

TEST(Summarize, FewerPairsHaveNoBounds) {
  MeasureSamples s = samples();
  s.pairs.ratios.resize(9);
  EXPECT_EQ(summarize(s).bounds.lo, 0);
  EXPECT_EQ(summarize(s).bounds.hi, 0);
}

TEST(Summarize, UnfusedAloneHasNoSpeedup) {
  MeasureSamples s = samples();
  s.pairs.a.clear();
  s.pairs.ratios.clear();
  s.floor_ratios.clear();
  const Measurement m = summarize(s);
  EXPECT_EQ(m.speedup, 0);
  EXPECT_EQ(m.bound_share, 0);
  EXPECT_DOUBLE_EQ(m.bound, 3.0 / 1.8);
  EXPECT_DOUBLE_EQ(m.t_unfused.median, 3);
}

TEST(ToEntry, ElevenIndependentPairsAreConfirmed) {
  const Entry e = to_entry(measured(), "2026-01-02T03:04:05Z");
  EXPECT_EQ(e.stage, EntryStage::kConfirmed);
  EXPECT_EQ(e.status, EntryStatus::kWin);
  EXPECT_EQ(e.pairs, 11);
  EXPECT_DOUBLE_EQ(e.speedup, 1.5);
  EXPECT_DOUBLE_EQ(e.t_fused_us, 2e6);
  EXPECT_DOUBLE_EQ(e.t_unfused_us, 3e6);
  EXPECT_EQ(e.unfused_form, "strided_copy");
  EXPECT_EQ(e.divisible, (std::array<std::int64_t, 3>{16, 8, 8}));
  EXPECT_EQ(e.tuned_at, "2026-01-02T03:04:05Z");
}

TEST(ToEntry, CorrelatedPairsStayScreened) {
  MeasureSamples s = samples();
  for (std::size_t i = 0; i < 11; ++i) s.pairs.ratios[i] = 1.4 + 0.02 * static_cast<double>(i);
  Measurement m = summarize(s);
  m.config = FusedConfig{};
  EXPECT_GT(m.lag1, 0.3);
  EXPECT_EQ(to_entry(m, "").stage, EntryStage::kScreened);
}

TEST(ToEntry, FewPairsStayScreenedAndClaimNothing) {
  MeasureSamples s = samples();
  s.pairs.ratios.resize(9);
  Measurement m = summarize(s);
  m.config = FusedConfig{};
  EXPECT_EQ(to_entry(m, "").stage, EntryStage::kScreened);
  EXPECT_EQ(to_entry(m, "").status, EntryStatus::kUnmeasured);
}

TEST(ToEntry, AWrongResultIsBrokenHoweverFast) {
  Measurement m = measured();
  m.correct = false;
  EXPECT_EQ(to_entry(m, "").status, EntryStatus::kBroken);
  EXPECT_EQ(to_entry(m, "").stage, EntryStage::kScreened);
}

class MeasureOnRanks : public testing::TestWithParam<std::tuple<DType, ShardDim, std::int32_t>> {};

TEST_P(MeasureOnRanks, GivesEveryQuantityAndARightResult) {
  const auto [dtype, shard_dim, world_size] = GetParam();
  const Problem p{.m = 48,
                  .n = 40,
                  .k = 96,
                  .world_size = world_size,
                  .shard_dim = shard_dim,
                  .dtype = dtype,
                  .has_bias = true};
  World world = World::local(world_size, 1);
  MeasureOptions options;
  options.candidates = tune::cpu_candidates(p, detect_cpu(1));
  std::set<std::string> phases;
  options.progress = [&](const MeasureProgress& at) { phases.emplace(at.phase); };
  const Measurement m = measure(world, p, options);
  EXPECT_TRUE(m.correct);
  EXPECT_GT(m.max_rel_err, 0);
  EXPECT_LT(m.max_rel_err, dtype == DType::kF32 ? 1e-5 : 1e-2);
  EXPECT_EQ(m.pairs, kFreshPairs);
  EXPECT_GT(m.speedup, 0);
  EXPECT_GT(m.bounds.lo, 0);
  EXPECT_GE(m.bounds.hi, m.bounds.lo);
  for (const tune::Spread& t : {m.t_gemm, m.t_gather, m.t_unfused, m.t_fused}) {
    EXPECT_GT(t.min, 0);
    EXPECT_LE(t.min, t.median);
    EXPECT_LE(t.median, t.max);
  }
  ASSERT_TRUE(m.config.has_value());
  EXPECT_EQ(m.candidates, static_cast<std::int32_t>(options.candidates.size()));
  EXPECT_TRUE(phases.contains("noise floor") && phases.contains("screening") &&
              phases.contains("pairs"));
}

INSTANTIATE_TEST_SUITE_P(All, MeasureOnRanks,
                         testing::Combine(testing::Values(DType::kF32, DType::kBf16),
                                          testing::Values(ShardDim::kM, ShardDim::kK),
                                          testing::Values(1, 2)));

TEST(Measure, UnfusedAloneIsTimedAndChecked) {
  const Problem p{.m = 32, .n = 16, .k = 64, .world_size = 2};
  World world = World::local(2, 1);
  const Measurement m = measure(world, p, {});
  EXPECT_FALSE(m.config.has_value());
  EXPECT_GT(m.t_unfused.median, 0);
  EXPECT_EQ(m.t_fused.median, 0);
  EXPECT_TRUE(m.correct);
}

TEST(Measure, RefusesAnotherNumberOfRanksAndTypesWithoutAKernel) {
  World world = World::local(2, 1);
  EXPECT_THROW(measure(world, {.m = 32, .n = 16, .k = 64, .world_size = 4}, {}), Error);
  const Problem f16{.m = 32, .n = 16, .k = 64, .world_size = 2, .dtype = DType::kF16};
  EXPECT_THROW(measure(world, f16, {}), Error);
}

}  // namespace
}  // namespace weft::ops
