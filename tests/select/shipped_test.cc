// SPDX-License-Identifier: Apache-2.0
// Selection from the data that ships with weft, and from real files.
#include <filesystem>
#include <string>
#include <vector>

#include "select_fixture.hpp"
#include "weft/select.hpp"

namespace weft {
namespace {

using testing::contains;
using testing::expect_unfused;
using testing::this_machine;

class SelectShipped : public testing::SelectTest {
 protected:
  Selection select(const Problem& problem, const Arch& arch, const SelectOptions& options = {}) {
    return select_config(problem, arch, default_link(arch), *shipped_, options, this_machine());
  }
  Selection select(const Problem& problem) { return select(problem, mi300x_); }

  std::shared_ptr<ConfigDatabase> shipped_ = ConfigDatabase::open({}, true);
};

TEST_F(SelectShipped, TheBestImportedWinnerIsExactGuardedAndComplete) {
  const Selection s = select(gpu_problem(131072, 16384, 16384));
  EXPECT_EQ(s.variant, Variant::kStaged);
  EXPECT_EQ(s.source, Source::kExact);
  EXPECT_EQ(s.reason, "imported_win");
  EXPECT_TRUE(s.guard);
  EXPECT_TRUE(contains(s.text, "claimed 1.343x")) << s.text;
  ASSERT_TRUE(s.config.has_value());
  EXPECT_EQ(*s.config, (FusedConfig{.variant = Variant::kStaged,
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
                                    .allow_tf32 = true}));
  EXPECT_EQ(s.entry->layer, "shipped");
}

TEST_F(SelectShipped, AnImportedLoserIsUnfused) {
  const Selection s = select(gpu_problem(4096, 4096, 4096));
  expect_unfused(s, Source::kExact, "imported_loss");
  EXPECT_TRUE(contains(s.text, "claimed 0.527x")) << s.text;
  ASSERT_TRUE(s.entry.has_value());
  EXPECT_EQ(s.entry->entry.label, "pow2_4k");
}

TEST_F(SelectShipped, AnUnseenShapeNamesItsImportedNeighbour) {
  const Selection s = select(gpu_problem(130000, 16384, 16384));
  expect_unfused(s, Source::kFallback, "neighbour_imported");
  EXPECT_TRUE(contains(s.text, "131072x16384x16384")) << s.text;
}

TEST_F(SelectShipped, WorldSizesTwoAndFourAreUnfusedAndQuoteTheBestClaim) {
  for (const auto& [world_size, claim] : {std::pair{2, "0.887x"}, std::pair{4, "0.856x"}}) {
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{131072, 16384, 16384},
                                  {4096, 4096, 4096},
                                  {4096, 4096, 11008},
                                  {8192, 8192, 262144},
                                  {262144, 8192, 8192},
                                  {4096, 14336, 4096},
                                  {77, 88, 8800}}) {
      const Selection s = select(gpu_problem(m, n, k, world_size));
      EXPECT_EQ(s.variant, Variant::kUnfused) << s.text;
      EXPECT_TRUE(
          contains(s.text, std::string("the best speedup that the file claims is ") + claim))
          << s.text;
      EXPECT_TRUE(contains(s.text, "its source disabled fusion")) << s.text;
    }
  }
}

TEST_F(SelectShipped, AnIllegalRowIsBroken) {
  expect_unfused(select(gpu_problem(4096, 4096, 11008, 4)), Source::kExact, "broken");
  expect_unfused(select(gpu_problem(4096, 4096, 11008, 2)), Source::kExact, "broken");
}

TEST_F(SelectShipped, TransposedLayoutsOtherDtypesAndTheOtherShardDimClaimNothing) {
  for (const Layout layout : {Layout::kNT, Layout::kTN, Layout::kTT}) {
    Problem p = gpu_problem(131072, 16384, 16384);
    p.layout = layout;
    expect_unfused(select(p), Source::kFallback, "no_entry");
  }
  Problem p = gpu_problem(131072, 16384, 16384);
  p.dtype = DType::kBf16;
  expect_unfused(select(p), Source::kFallback, "no_entry");
  p = gpu_problem(131072, 16384, 16384);
  p.shard_dim = ShardDim::kM;
  expect_unfused(select(p), Source::kFallback, "no_entry");
}

TEST_F(SelectShipped, NoOtherChipUsesTheseRows) {
  const Problem p = gpu_problem(131072, 16384, 16384);
  expect_unfused(select(p, parse_arch("h200")), Source::kFallback, "no_entry");
  expect_unfused(select(p, parse_arch("mi300a")), Source::kFallback, "no_entry");
  expect_unfused(select(p, parse_arch("quantum")), Source::kFallback, "unknown_arch");
}

TEST_F(SelectShipped, EveryRowIsLegalOrBrokenAndFusesOnlyWhereItClaimsAGain) {
  int rows = 0;
  int fused = 0;
  for (const DatabaseKey& key : shipped_->keys()) {
    const Arch arch = parse_arch(key.device);
    ASSERT_EQ(arch.device(), key.device);
    for (const FoundEntry& found : shipped_->find(key)->entries) {
      const Entry& e = found.entry;
      const Problem p{.m = e.m,
                      .n = e.n,
                      .k = e.k,
                      .world_size = key.world_size,
                      .shard_dim = key.shard_dim,
                      .dtype = key.dtype,
                      .layout = key.layout};
      SCOPED_TRACE(key.relative_path() + " " + e.label);
      const Validation v = validate(e.config, p, arch);
      EXPECT_EQ(v.legal, e.status != EntryStatus::kBroken) << v.reason;
      const Selection s = select(p, arch);
      EXPECT_EQ(s.variant != Variant::kUnfused,
                e.claimed_speedup > 1 && e.status == EntryStatus::kWin);
      EXPECT_EQ(s.guard, s.variant != Variant::kUnfused);
      EXPECT_EQ(select(p, arch, {.trust = Trust::kMeasured}).variant, Variant::kUnfused);
      ++rows;
      fused += s.variant != Variant::kUnfused ? 1 : 0;
    }
  }
  EXPECT_GE(rows, 28 + 11);
  EXPECT_EQ(fused, 7);
}

TEST_F(SelectShipped, ExactlyFullSharedMemoryIsNoted) {
  const Selection s = select(gpu_problem(131072, 16384, 16384));
  const Validation v = validate(*s.config, gpu_problem(131072, 16384, 16384), mi300x_);
  EXPECT_TRUE(v.legal);
  EXPECT_TRUE(contains(v.reason, "65536 of 65536")) << v.reason;
}

class SelectFromFiles : public testing::SelectTest {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(::testing::TempDir()) / "select_from_files";
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::filesystem::path root_;
};

TEST_F(SelectFromFiles, AMissingFileIsCachedAsMissingAndPickedUpAfterReload) {
  const std::shared_ptr<ConfigDatabase> database = ConfigDatabase::open({root_}, false);
  Selector selector(database, cpu_, "shm", {}, this_machine());
  const Problem p = cpu_problem(4096, 512, 4096);
  EXPECT_EQ(selector.select(p)->reason, "no_entry");

  Entry entry = testing::winner(4096, 512, 4096).entry;
  entry.t_fused_us = 1000;
  entry.t_unfused_us = 1200;
  entry.noise_floor = 0.01;
  entry.tuned_at = "2026-01-02T03:04:05Z";
  entry.env.clear();
  merge_entries(root_, cpu_key(), {entry}, this_machine(), "weft bench");
  EXPECT_EQ(selector.select(p)->reason, "no_entry");
  database->reload();
  EXPECT_EQ(selector.select(p)->reason, "measured_win") << selector.select(p)->text;
}

}  // namespace
}  // namespace weft
