// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "arch/limits.hpp"
#include "config/shared_memory.hpp"
#include "weft/config.hpp"

namespace weft {
namespace {

const Arch kCpu = parse_arch("cpu_avx2-25.1-t2");
const Arch kMi300x = parse_arch("mi300x");
const Arch kMi355x = parse_arch("mi355x");
const Arch kH200 = parse_arch("h200");

Problem problem(std::int64_t m, std::int64_t n, std::int64_t k, DType dtype,
                std::int32_t world_size = 8) {
  return {.m = m, .n = n, .k = k, .world_size = world_size, .dtype = dtype};
}

/// The imported MI300X configuration of 131072x16384x16384.
FusedConfig mi300x_config() {
  return {.variant = Variant::kStaged,
          .tile_m = 256,
          .tile_n = 256,
          .tile_k = 64,
          .group_m = 24,
          .k_per_flag = 32,
          .num_fetch_sms = 4,
          .first_stage_fetch_sms = 52,
          .num_fetch_stages = 64,
          .num_stages = 2,
          .num_warps = 8,
          .num_xcds = 8,
          .allow_tf32 = true};
}

FusedConfig h200_config() {
  return {.variant = Variant::kStaged,
          .tile_m = 128,
          .tile_n = 256,
          .tile_k = 64,
          .k_per_flag = 8,
          .num_fetch_sms = 8,
          .first_stage_fetch_sms = 32,
          .num_stages = 4,
          .num_warps = 12};
}

/// Expects a refusal whose sentence holds every one of `words`.
void expect_refused(const Validation& v, const std::vector<std::string>& words) {
  EXPECT_FALSE(v.legal);
  for (const std::string& word : words) {
    EXPECT_NE(v.reason.find(word), std::string::npos) << "'" << word << "' not in: " << v.reason;
  }
}

TEST(Validate, SharedMemoryOnGfx9MayBeExactlyFullButNotOneWordMore) {
  const Problem p = problem(131072, 16384, 16384, DType::kF16);
  const Validation v = validate(mi300x_config(), p, kMi300x);
  EXPECT_TRUE(v.legal) << v.reason;
  EXPECT_NE(v.reason.find("65536 of 65536"), std::string::npos) << v.reason;

  const std::int64_t tiles = pipeline_bytes(mi300x_config(), 2, arch::Family::kGfx9);
  const std::int64_t limit = arch::find_limits("gfx942")->shared_memory_bytes;
  EXPECT_EQ(tiles, 65'536);
  constexpr std::int64_t kOneWord = 4;
  EXPECT_TRUE(check_shared_memory(tiles, limit).legal);
  expect_refused(check_shared_memory(tiles + kOneWord, limit), {"65540", "65536"});
  EXPECT_TRUE(check_shared_memory(tiles - kOneWord, limit).reason.empty());
}

TEST(Validate, SharedMemoryCountsElementSizeAndStages) {
  FusedConfig c = mi300x_config();
  expect_refused(validate(c, problem(131072, 16384, 16384, DType::kF32), kMi300x), {"131072"});
  c.num_stages = 3;
  expect_refused(validate(c, problem(131072, 16384, 16384, DType::kF16), kMi300x), {"131072"});
  EXPECT_TRUE(validate(c, problem(131072, 16384, 16384, DType::kF16), kMi355x).legal);
}

TEST(Validate, SharedMemoryOnSm90CountsAllStages) {
  const Problem p = problem(8192, 8192, 8192, DType::kBf16);
  FusedConfig c = h200_config();
  EXPECT_EQ(pipeline_bytes(c, 2, arch::Family::kSm90), 196'608);
  EXPECT_TRUE(validate(c, p, kH200).legal) << validate(c, p, kH200).reason;
  c.num_stages = 5;
  expect_refused(validate(c, p, kH200), {"245760", "232448"});
}

TEST(Validate, KPerFlagMustDivideOnGfx9Only) {
  FusedConfig c = mi300x_config();
  c.tile_m = 128;
  c.group_m = 8;
  c.k_per_flag = 8;
  const Problem down = problem(4096, 4096, 11008, DType::kF16, 4);
  const Validation v = validate(c, down, kMi300x);
  EXPECT_FALSE(v.legal);
  EXPECT_EQ(v.reason,
            "k_per_flag=8 must divide K/tile_k=172 (K=11008, tile_k=64); largest that does: 4");
  c.k_per_flag = 4;
  EXPECT_TRUE(validate(c, down, kMi300x).legal);

  FusedConfig hopper = h200_config();
  hopper.k_per_flag = 7;
  EXPECT_TRUE(validate(hopper, problem(4096, 4096, 11008, DType::kBf16), kH200).legal);
  FusedConfig cpu{.variant = Variant::kStaged, .k_per_flag = 7};
  EXPECT_TRUE(validate(cpu, problem(4096, 4096, 11008, DType::kF32), kCpu).legal);
}

TEST(Validate, GroupMNeedNotDivideTheTilesOfAStage) {
  const Problem p = problem(131072, 16384, 16384, DType::kF16);
  const FusedConfig c = mi300x_config();
  ASSERT_NE(p.m / c.tile_m / c.num_fetch_stages % c.group_m, 0);
  EXPECT_TRUE(validate(c, p, kMi300x).legal);
}

TEST(Validate, RefusesWithValuesAndRemedy) {
  const Problem f16 = problem(8192, 8192, 8192, DType::kF16);
  const Problem bf16 = problem(8192, 8192, 8192, DType::kBf16);
  const Problem f32 = problem(8192, 8192, 8192, DType::kF32);
  const auto with = [](FusedConfig c, const std::function<void(FusedConfig&)>& change) {
    change(c);
    return c;
  };
  struct Case {
    FusedConfig config;
    Problem problem;
    Arch arch;
    std::vector<std::string> words;
  };
  const FusedConfig amd = mi300x_config();
  const FusedConfig hopper = h200_config();
  const FusedConfig cpu{.variant = Variant::kStaged};
  const std::vector<Case> cases{
      {with(cpu, [](auto& c) { c.variant = Variant::kUnfused; }), f32, kCpu, {"unfused"}},
      {with(cpu, [](auto& c) { c.variant = Variant::kCopyEngine; }),
       f32,
       kCpu,
       {"direct or staged"}},
      {cpu, f16, kCpu, {"f16", "f32 or bf16"}},
      {cpu, problem(64, 64, 64, DType::kFp8E4m3), kCpu, {"fp8_e4m3"}},
      {with(cpu, [](auto& c) { c.tile_m = 0; }), f32, kCpu, {"tile_m=0", "1 to 1048576"}},
      {with(cpu, [](auto& c) { c.tile_n = (1 << 20) + 1; }), f32, kCpu, {"tile_n=1048577"}},
      {with(cpu, [](auto& c) { c.tile_k = -1; }), f32, kCpu, {"tile_k=-1"}},
      {with(cpu, [](auto& c) { c.group_m = 0; }), f32, kCpu, {"group_m=0", "at least 1"}},
      {with(cpu, [](auto& c) { c.k_per_flag = 0; }), f32, kCpu, {"k_per_flag=0"}},
      {with(cpu, [](auto& c) { c.num_fetch_sms = 3; }),
       f32,
       kCpu,
       {"num_fetch_sms=3", "2 threads"}},
      {with(cpu, [](auto& c) { c.first_stage_fetch_sms = 0; }),
       f32,
       kCpu,
       {"first_stage_fetch_sms=0"}},
      {with(cpu, [](auto& c) { c.num_fetch_stages = 1025; }), f32, kCpu, {"1025", "1 to 1024"}},
      {with(cpu, [](auto& c) { c.chunk_m_tiles = 0; }), f32, kCpu, {"chunk_m_tiles=0"}},
      {with(cpu, [](auto& c) { c.num_xcds = 0; }), f32, kCpu, {"num_xcds=0"}},
      {with(cpu, [](auto& c) { c.tile_m = c.tile_k = 1; }),
       problem(std::int64_t{1} << 30, 1, std::int64_t{1} << 30, DType::kF32),
       kCpu,
       {"flags", "overflows the workspace"}},
      {with(amd, [](auto& c) { c.num_fetch_sms = 304; }), f16, kMi300x, {"304", "at most 303"}},
      {with(amd, [](auto& c) { c.first_stage_fetch_sms = 305; }), f16, kMi300x, {"305", "304"}},
      {with(amd, [](auto& c) { c.num_warps = 6; }), f16, kMi300x, {"num_warps=6", "power of two"}},
      {with(amd, [](auto& c) { c.num_warps = 32; }), f16, kMi300x, {"num_warps=32", "1 to 16"}},
      {with(amd, [](auto& c) { c.num_warps = 1; }), f16, kMi300x, {"1024 registers", "512"}},
      {with(amd, [](auto& c) { c.tile_m = 200; }), f16, kMi300x, {"tile_m=200", "multiple of 16"}},
      {with(amd, [](auto& c) { c.tile_k = 4; }), f16, kMi300x, {"tile_k=4", "8 elements"}},
      {with(amd, [](auto& c) { c.num_stages = 17; }), f16, kMi300x, {"num_stages=17"}},
      {with(hopper, [](auto& c) { c.tile_m = 96; }), bf16, kH200, {"tile_m=96", "64"}},
      {with(hopper, [](auto& c) { c.tile_n = 260; }), bf16, kH200, {"tile_n=260", "1 to 256"}},
      {with(hopper, [](auto& c) { c.num_warps = 6; }), bf16, kH200, {"num_warps=6", "at least 8"}},
      {with(hopper, [](auto& c) { c.tile_m = 256; }), bf16, kH200, {"256 registers", "255"}},
      {hopper, f32, kH200, {"f32", "nt", "tf32"}},
      {hopper, bf16, parse_arch("sm_80-108sm"), {"sm_80-108sm", "only unfused"}},
      {hopper, bf16, parse_arch("quantum"), {"quantum", "only unfused"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(to_string(c.config) + " on " + c.arch.device());
    expect_refused(validate(c.config, c.problem, c.arch), c.words);
  }
}

TEST(Validate, DirectIgnoresFetcherFields) {
  const FusedConfig c{.variant = Variant::kDirect, .num_fetch_sms = 99, .first_stage_fetch_sms = 0};
  EXPECT_TRUE(validate(c, problem(64, 64, 64, DType::kBf16), kCpu).legal);
}

TEST(Validate, NeverThrowsForAnyFieldValues) {
  std::mt19937_64 random(20240611);
  const std::vector<std::int32_t> values{
      std::numeric_limits<std::int32_t>::min(), -1, 0, 1, 2, 3, 7, 8, 16, 64, 128, 256, 1 << 20,
      std::numeric_limits<std::int32_t>::max()};
  const auto any = [&] { return values[random() % values.size()]; };
  const std::vector<Arch> archs{kCpu, kMi300x, kMi355x, kH200, parse_arch("sm_80-108sm"), Arch{}};
  const std::vector<std::int64_t> extents{8, 64, 4096, std::int64_t{1} << 30};
  int legal = 0;
  for (int i = 0; i < 200'000; ++i) {
    const FusedConfig c{.variant = static_cast<Variant>(random() % 4),
                        .tile_m = any(),
                        .tile_n = any(),
                        .tile_k = any(),
                        .group_m = any(),
                        .k_per_flag = any(),
                        .num_fetch_sms = any(),
                        .first_stage_fetch_sms = any(),
                        .num_fetch_stages = any(),
                        .num_stages = any(),
                        .num_warps = any(),
                        .chunk_m_tiles = any(),
                        .num_xcds = any(),
                        .allow_tf32 = (random() & 1) != 0};
    Problem p = problem(extents[random() % 4], extents[random() % 4], extents[random() % 4],
                        static_cast<DType>(random() % 4));
    p.layout = static_cast<Layout>(random() % 4);
    p.shard_dim = static_cast<ShardDim>(random() % 2);
    const Validation v = validate(c, p, archs[random() % archs.size()]);
    if (v.legal) {
      ++legal;
    } else {
      ASSERT_FALSE(v.reason.empty());
    }
  }
  EXPECT_GT(legal, 0);
}

}  // namespace
}  // namespace weft
