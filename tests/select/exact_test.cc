// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "select_fixture.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using testing::contains;
using testing::expect_unfused;
using testing::imported;
using testing::loser;
using testing::measured;
using testing::this_machine;
using testing::winner;

class SelectExact : public testing::SelectTest {};

TEST_F(SelectExact, MeasuredWinnerIsFusedWithoutGuard) {
  database_.add(cpu_key(), winner(4096, 512, 4096));
  const Selection s = on_cpu(cpu_problem(4096, 512, 4096));
  EXPECT_EQ(s.variant, Variant::kDirect);
  EXPECT_EQ(s.source, Source::kExact);
  EXPECT_EQ(s.reason, "measured_win");
  EXPECT_EQ(s.config, winner(4096, 512, 4096).entry.config);
  EXPECT_FALSE(s.guard);
  EXPECT_DOUBLE_EQ(s.bound_used, 1.10);
  EXPECT_EQ(s.unfused_form, "gather_per_shard");
  EXPECT_TRUE(contains(s.text, "measured 1.200x [1.100 1.300] over 11 pairs")) << s.text;
  ASSERT_EQ(s.rungs.size(), 2U);
  EXPECT_FALSE(s.rungs[0].answered);
  EXPECT_TRUE(s.rungs[1].answered);
}

TEST_F(SelectExact, PromotedCountsAsConfirmed) {
  auto found = winner(4096, 512, 4096);
  found.entry.stage = EntryStage::kPromoted;
  database_.add(cpu_key(), found);
  EXPECT_EQ(on_cpu(cpu_problem(4096, 512, 4096)).reason, "measured_win");
}

TEST_F(SelectExact, GuardOnGuardsMeasuredWinnersToo) {
  database_.add(cpu_key(), winner(4096, 512, 4096));
  EXPECT_TRUE(on_cpu(cpu_problem(4096, 512, 4096), {.guard = GuardMode::kOn}).guard);
  const Selection off = on_cpu(cpu_problem(4096, 512, 4096), {.guard = GuardMode::kOff});
  EXPECT_EQ(off.variant, Variant::kDirect);
  EXPECT_FALSE(off.guard);
}

TEST_F(SelectExact, LoserTurnsFusionOffAndKeepsItsEntry) {
  database_.add(cpu_key(), loser(4096, 512, 4096));
  const Selection s = on_cpu(cpu_problem(4096, 512, 4096));
  expect_unfused(s, Source::kExact, "measured_loss");
  ASSERT_TRUE(s.entry.has_value());
  EXPECT_EQ(s.entry->entry.config, loser(4096, 512, 4096).entry.config);
  EXPECT_EQ(s.unfused_form, "gather_per_shard");
}

TEST_F(SelectExact, OnlyAProvenWinSelects) {
  struct Case {
    FoundEntry found;
    const char* reason;
  };
  auto screened = winner(4096, 512, 4096);
  screened.entry.stage = EntryStage::kScreened;
  auto broken = winner(4096, 512, 4096);
  broken.entry.status = EntryStatus::kBroken;
  auto illegal = winner(4096, 512, 4096);
  illegal.entry.config.tile_m = 0;
  for (const Case& c :
       {Case{screened, "screened_only"}, Case{broken, "broken"}, Case{illegal, "illegal_config"},
        Case{measured(4096, 512, 4096, EntryStatus::kTie, 1.0, 0.98, 1.02), "tie"},
        Case{measured(4096, 512, 4096, EntryStatus::kWin, 1.1, 1.01, 1.2), "bound_too_low"}}) {
    testing::FakeDatabase database;
    database.add(cpu_key(), c.found);
    expect_unfused(
        select_config(cpu_problem(4096, 512, 4096), cpu_, "shm", database, {}, this_machine()),
        Source::kExact, c.reason);
  }
}

TEST_F(SelectExact, StaleEvidenceNeverSelectsAndAgedIsDiscounted) {
  database_.add(cpu_key(), winner(4096, 512, 4096));
  const Problem p = cpu_problem(4096, 512, 4096);
  Environment now = this_machine();
  now.kernel_hash = "k2";
  expect_unfused(on_cpu(p, {}, now), Source::kExact, "stale_evidence");
  now = this_machine();
  now.unfused_gemm = "oneDNN 3.0.0";
  expect_unfused(on_cpu(p, {}, now), Source::kExact, "stale_evidence");
  now = this_machine();
  now.runtime = "libgomp 13";
  const Selection aged = on_cpu(p, {}, now);
  EXPECT_EQ(aged.reason, "measured_win");
  EXPECT_NEAR(aged.bound_used, 1.07, 1e-12);

  database_.add(cpu_key(), measured(8192, 512, 4096, EntryStatus::kWin, 1.1, 1.035, 1.2));
  database_.reload();
  EXPECT_EQ(on_cpu(cpu_problem(8192, 512, 4096)).reason, "measured_win");
  expect_unfused(on_cpu(cpu_problem(8192, 512, 4096), {}, now), Source::kExact, "bound_too_low");
}

TEST_F(SelectExact, AMeasuredEntryWithoutEnvironmentIsStale) {
  auto found = winner(4096, 512, 4096);
  found.environment = {};
  database_.add(cpu_key(), found);
  expect_unfused(on_cpu(cpu_problem(4096, 512, 4096)), Source::kExact, "stale_evidence");
}

TEST_F(SelectExact, AStaleLoserStillTurnsFusionOff) {
  database_.add(cpu_key(), loser(4096, 512, 4096));
  Environment now = this_machine();
  now.kernel_hash = "k2";
  expect_unfused(on_cpu(cpu_problem(4096, 512, 4096), {}, now), Source::kExact, "measured_loss");
}

TEST_F(SelectExact, ImportedWinnerIsGuarded) {
  database_.add(gpu_key(), imported(131072, 16384, 16384, 1.343));
  for (const GuardMode mode : {GuardMode::kAuto, GuardMode::kOn}) {
    const Selection s = on_mi300x(gpu_problem(131072, 16384, 16384), {.guard = mode});
    EXPECT_EQ(s.variant, Variant::kStaged);
    EXPECT_EQ(s.reason, "imported_win");
    EXPECT_TRUE(s.guard);
    EXPECT_EQ(s.bound_used, 0);
    EXPECT_TRUE(contains(s.text, "claimed 1.343x")) << s.text;
  }
}

TEST_F(SelectExact, ImportedWinnerNeedsTrustAndTheGuard) {
  database_.add(gpu_key(), imported(131072, 16384, 16384, 1.343));
  const Problem p = gpu_problem(131072, 16384, 16384);
  expect_unfused(on_mi300x(p, {.trust = Trust::kMeasured}), Source::kExact, "imported_untrusted");
  expect_unfused(on_mi300x(p, {.guard = GuardMode::kOff}), Source::kExact, "imported_unguarded");
}

TEST_F(SelectExact, ImportedLoserIsUnfused) {
  database_.add(gpu_key(), imported(4096, 4096, 4096, 0.527));
  const Selection s = on_mi300x(gpu_problem(4096, 4096, 4096));
  expect_unfused(s, Source::kExact, "imported_loss");
  EXPECT_TRUE(contains(s.text, "claimed 0.527x")) << s.text;
}

TEST_F(SelectExact, UnmeasuredNeitherSelectsNorVetoes) {
  auto unmeasured = winner(4096, 512, 4096);
  unmeasured.entry.stage = EntryStage::kImported;
  unmeasured.entry.status = EntryStatus::kUnmeasured;
  unmeasured.entry.claimed_speedup = 0;
  database_.add(cpu_key(), unmeasured);
  const Selection alone = on_cpu(cpu_problem(4096, 512, 4096));
  expect_unfused(alone, Source::kFallback, "unmeasured");
  EXPECT_TRUE(contains(alone.text, "no speedup claimed")) << alone.text;

  database_.add(cpu_key(), winner(4224, 512, 4096));
  database_.reload();
  EXPECT_EQ(on_cpu(cpu_problem(4096, 512, 4096)).reason, "neighbour_win");
}

TEST_F(SelectExact, EntriesOfOtherKeysDoNotApply) {
  database_.add(cpu_key(), winner(4096, 512, 4096));
  Problem p = cpu_problem(4096, 512, 4096);
  p.shard_dim = ShardDim::kM;
  expect_unfused(on_cpu(p), Source::kFallback, "no_entry");
  p = cpu_problem(4096, 512, 4096);
  p.dtype = DType::kBf16;
  expect_unfused(on_cpu(p), Source::kFallback, "no_entry");
  for (const Layout layout : {Layout::kNT, Layout::kTN, Layout::kTT}) {
    p = cpu_problem(4096, 512, 4096);
    p.layout = layout;
    expect_unfused(on_cpu(p), Source::kFallback, "no_entry");
  }
  // The extents are those of one rank's product: a local M is another shape.
  expect_unfused(on_cpu(cpu_problem(2048, 512, 4096)), Source::kFallback, "out_of_radius");
}

TEST_F(SelectExact, RefusesSizesThatDoNotDivide) {
  EXPECT_THROW((void)on_cpu(cpu_problem(64, 64, 63)), Error);
  EXPECT_THROW((void)on_cpu(cpu_problem(0, 64, 64)), Error);
}

}  // namespace
}  // namespace weft
