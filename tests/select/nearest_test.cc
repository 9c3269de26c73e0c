// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <utility>

#include "select_fixture.hpp"

namespace weft {
namespace {

using testing::contains;
using testing::expect_unfused;
using testing::imported;
using testing::loser;
using testing::measured;
using testing::this_machine;
using testing::winner;

class SelectNearest : public testing::SelectTest {
 protected:
  /// The imported MI300X configuration as if it had been measured here.
  static FoundEntry measured_on_mi300x(std::int64_t m, std::int64_t n, std::int64_t k) {
    FoundEntry found = winner(m, n, k);
    found.entry.config = imported(m, n, k, 1.343).entry.config;
    return found;
  }
};

TEST_F(SelectNearest, AMeasuredWinnerInsideItsRadiusSelects) {
  database_.add(cpu_key(), winner(4096, 512, 4096));
  const Selection s = on_cpu(cpu_problem(4400, 512, 4096));
  EXPECT_EQ(s.variant, Variant::kDirect);
  EXPECT_EQ(s.source, Source::kNearest);
  EXPECT_EQ(s.reason, "neighbour_win");
  const double octaves = std::log2(4400.0 / 4096);
  EXPECT_NEAR(s.distance, octaves, 1e-12);
  EXPECT_NEAR(s.bound_used, 1.10 - 0.10 * octaves, 1e-12);
  EXPECT_EQ(s.unfused_form, "gather_per_shard");
}

TEST_F(SelectNearest, TheRadiusIsPerDimensionAndSymmetric) {
  database_.add(cpu_key(), winner(4096, 512, 4096));
  const auto scaled = [](double octaves) {
    return static_cast<std::int64_t>(4096 * std::exp2(octaves));
  };
  EXPECT_EQ(on_cpu(cpu_problem(scaled(0.19), 512, 4096)).reason, "neighbour_win");
  EXPECT_EQ(on_cpu(cpu_problem(scaled(-0.19), 512, 4096)).reason, "neighbour_win");
  expect_unfused(on_cpu(cpu_problem(scaled(0.21), 512, 4096)), Source::kFallback, "out_of_radius");
  expect_unfused(on_cpu(cpu_problem(scaled(-0.21), 512, 4096)), Source::kFallback, "out_of_radius");
}

TEST_F(SelectNearest, AMeasuredRadiusReplacesTheDefault) {
  auto found = winner(4096, 512, 4096);
  found.entry.radius_octaves = {0.05, 0.4, 9.0};
  database_.add(cpu_key(), found);
  expect_unfused(on_cpu(cpu_problem(4400, 512, 4096)), Source::kFallback, "out_of_radius");
  EXPECT_EQ(on_cpu(cpu_problem(4096, 640, 4096)).reason, "neighbour_win");
  // No radius reaches further than half an octave.
  expect_unfused(on_cpu(cpu_problem(4096, 512, 8192)), Source::kFallback, "out_of_radius");
}

TEST_F(SelectNearest, ALoserInsideTheRadiusVetoes) {
  database_.add(cpu_key(), winner(4096, 512, 4096));
  database_.add(cpu_key(), loser(4608, 512, 4096));
  const Selection s = on_cpu(cpu_problem(4300, 512, 4096));
  expect_unfused(s, Source::kNearest, "neighbour_lost");
  EXPECT_EQ(s.entry->entry.m, 4608);
}

TEST_F(SelectNearest, AnImportedLoserVetoesToo) {
  database_.add(gpu_key(), measured_on_mi300x(131072, 16384, 16384));
  database_.add(gpu_key(), imported(135168, 16384, 16384, 0.9));
  expect_unfused(on_mi300x(gpu_problem(132096, 16384, 16384)), Source::kNearest, "neighbour_lost");
}

TEST_F(SelectNearest, ALoserAloneVetoesAndAnswers) {
  database_.add(cpu_key(), loser(4096, 512, 4096));
  expect_unfused(on_cpu(cpu_problem(4300, 512, 4096)), Source::kNearest, "neighbour_lost");
}

TEST_F(SelectNearest, AnImportedWinnerIsNeverANeighbour) {
  database_.add(gpu_key(), imported(131072, 16384, 16384, 1.343));
  const Selection s = on_mi300x(gpu_problem(130000, 16384, 16384));
  expect_unfused(s, Source::kFallback, "neighbour_imported");
  for (const std::string& text : {s.text, rung(s, Source::kNearest)->text}) {
    EXPECT_TRUE(contains(text, "131072x16384x16384")) << text;
    EXPECT_TRUE(contains(text, "is imported and so not used as a neighbour")) << text;
  }
  EXPECT_EQ(rung(s, Source::kModel)->reason, "no_model");
  EXPECT_TRUE(contains(rung(s, Source::kModel)->text, "no model for this arch"));
}

TEST_F(SelectNearest, TheSameNeighbourConfirmedIsProvenLegalOrRefused) {
  auto found = measured_on_mi300x(131072, 16384, 16384);
  database_.add(gpu_key(), found);
  const Problem p = gpu_problem(130000, 16384, 16384);
  const Selection s = on_mi300x(p);
  EXPECT_EQ(s.reason, "neighbour_win") << s.text;
  EXPECT_TRUE(validate(*s.config, p, mi300x_).legal);

  found.entry.divisible = {256, 256, 64};
  testing::FakeDatabase strict;
  strict.add(gpu_key(), found);
  const Selection refused = select_config(p, mi300x_, "xgmi", strict, {}, this_machine());
  expect_unfused(refused, Source::kFallback, "neighbour_divisibility");
  EXPECT_TRUE(contains(refused.text, "multiples of 256 only, and M=130000")) << refused.text;
}

TEST_F(SelectNearest, AConfigurationThatIsNotLegalHereIsNotRepaired) {
  database_.add(gpu_key(), measured_on_mi300x(131072, 16384, 16384));
  // K/tile_k = 250 is no multiple of k_per_flag = 32.
  const Selection s = on_mi300x(gpu_problem(131072, 16384, 16000));
  expect_unfused(s, Source::kFallback, "neighbour_illegal");
  EXPECT_TRUE(contains(s.text, "k_per_flag=32 must divide K/tile_k=250")) << s.text;
}

TEST_F(SelectNearest, FewWavesMustBeEqual) {
  // Tiles of 256 x 512 on 2 threads: 1024 x 512 is 4 tiles, 2 waves; 1100 x 512 needs 3.
  database_.add(cpu_key(), winner(1024, 512, 4096));
  const Selection s = on_cpu(cpu_problem(1100, 512, 4096));
  expect_unfused(s, Source::kFallback, "neighbour_wave_class");
  EXPECT_TRUE(contains(s.text, "fills 2 waves of tiles to 100 %, this problem 3 to 83 %"))
      << s.text;
}

TEST_F(SelectNearest, ManyWavesMustBeEquallyFull) {
  // One n-tile and 304 units: 1520 m-tiles are 5 full waves.
  auto found = measured_on_mi300x(std::int64_t{1520} * 256, 256, 16384);
  found.entry.radius_octaves = {0.5, 0.5, 0.5};
  database_.add(gpu_key(), found);
  EXPECT_EQ(on_mi300x(gpu_problem(std::int64_t{1500} * 256, 256, 16384)).reason, "neighbour_win");
  const Selection s = on_mi300x(gpu_problem(std::int64_t{1217} * 256, 256, 16384));
  expect_unfused(s, Source::kFallback, "neighbour_wave_class");
  EXPECT_TRUE(contains(s.text, "5 waves of tiles to 100 %, this problem 5 to 80 %")) << s.text;
}

TEST_F(SelectNearest, PassingA32BitOffsetIsRefused) {
  database_.add(cpu_key(), winner(32000, 512, 65536));
  ASSERT_LT(std::int64_t{32000} * 65536, std::int64_t{1} << 31);
  EXPECT_EQ(on_cpu(cpu_problem(32128, 512, 65536)).reason, "neighbour_win");
  expect_unfused(on_cpu(cpu_problem(32768, 512, 65536)), Source::kFallback, "neighbour_offsets");
}

TEST_F(SelectNearest, DistanceAndAgeAreDiscounted) {
  database_.add(cpu_key(), measured(4096, 512, 4096, EntryStatus::kWin, 1.05, 1.02, 1.1));
  EXPECT_EQ(on_cpu(cpu_problem(4100, 512, 4096)).reason, "neighbour_win");
  expect_unfused(on_cpu(cpu_problem(4600, 512, 4096)), Source::kFallback,
                 "neighbour_bound_too_low");
  Environment aged = this_machine();
  aged.driver = "other";
  expect_unfused(on_cpu(cpu_problem(4100, 512, 4096), {}, aged), Source::kFallback,
                 "neighbour_bound_too_low");
  Environment stale = this_machine();
  stale.compiler = "GNU 13.1.0";
  expect_unfused(on_cpu(cpu_problem(4100, 512, 4096), {}, stale), Source::kFallback,
                 "neighbour_stale");
}

TEST_F(SelectNearest, TheClosestUsableNeighbourWins) {
  auto near = winner(4096, 512, 4096);
  near.entry.stage = EntryStage::kScreened;
  auto far = winner(4500, 512, 4096);
  far.entry.config.tile_n = 256;
  database_.add(cpu_key(), near);
  database_.add(cpu_key(), far);
  const Selection s = on_cpu(cpu_problem(4100, 512, 4096));
  EXPECT_EQ(s.reason, "neighbour_win") << s.text;
  EXPECT_EQ(s.entry->entry.m, 4500);
}

TEST_F(SelectNearest, EqualDistancesTakeTheHigherBoundWhateverTheOrder) {
  // Both are one factor of 1.25 away, in another dimension each.
  auto low = winner(5120, 1024, 4096);
  auto high = measured(4096, 1280, 4096, EntryStatus::kWin, 1.4, 1.3, 1.5);
  low.entry.radius_octaves = high.entry.radius_octaves = {0.5, 0.5, 0.5};
  const Problem p = cpu_problem(4096, 1024, 4096);
  for (const bool swapped : {false, true}) {
    if (swapped) std::swap(low.entry.speedup_lo, high.entry.speedup_lo);
    testing::FakeDatabase database;
    database.add(cpu_key(), low);
    database.add(cpu_key(), high);
    const Selection s = select_config(p, cpu_, "shm", database, {}, this_machine());
    ASSERT_EQ(s.reason, "neighbour_win") << s.text;
    EXPECT_EQ(s.entry->entry.speedup_lo, 1.3);
  }
}

TEST_F(SelectNearest, TiesAndScreenedEntriesProveNothing) {
  auto screened = winner(4096, 512, 4096);
  screened.entry.stage = EntryStage::kScreened;
  database_.add(cpu_key(), screened);
  expect_unfused(on_cpu(cpu_problem(4100, 512, 4096)), Source::kFallback, "neighbour_screened");
  database_.add(cpu_key(), measured(16384, 512, 4096, EntryStatus::kTie, 1.0, 0.97, 1.03));
  database_.reload();
  expect_unfused(on_cpu(cpu_problem(16400, 512, 4096)), Source::kFallback, "neighbour_tie");
}

TEST_F(SelectNearest, BrokenAndUnmeasuredEntriesDoNotCount) {
  auto broken = loser(4096, 512, 4096);
  broken.entry.status = EntryStatus::kBroken;
  auto unmeasured = loser(4097, 512, 4096);
  unmeasured.entry.status = EntryStatus::kUnmeasured;
  database_.add(cpu_key(), broken);
  database_.add(cpu_key(), unmeasured);
  expect_unfused(on_cpu(cpu_problem(4100, 512, 4096)), Source::kFallback, "no_entry");
}

}  // namespace
}  // namespace weft
