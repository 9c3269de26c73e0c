// SPDX-License-Identifier: Apache-2.0
// Override, fallback and the order of the rungs.
#include <algorithm>
#include <string>

#include "select/reasons.hpp"
#include "select_fixture.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using testing::contains;
using testing::expect_unfused;
using testing::imported;
using testing::this_machine;
using testing::winner;

class SelectLadder : public testing::SelectTest {};

TEST_F(SelectLadder, AGivenConfigurationOutranksTheDatabaseAndIsNotGuarded) {
  database_.add(cpu_key(), winner(4096, 512, 4096));
  const FusedConfig mine{.variant = Variant::kStaged, .tile_m = 64, .tile_n = 64, .tile_k = 64};
  const Selection s =
      on_cpu(cpu_problem(4096, 512, 4096),
             {.config = mine, .variant = Variant::kUnfused, .guard = GuardMode::kOn});
  EXPECT_EQ(s.variant, Variant::kStaged);
  EXPECT_EQ(s.source, Source::kOverride);
  EXPECT_EQ(s.reason, "override_config");
  EXPECT_EQ(s.config, mine);
  EXPECT_FALSE(s.guard);
  EXPECT_EQ(s.rungs.size(), 1U);
}

TEST_F(SelectLadder, AGivenVariantTakesItsDefaultConfiguration) {
  const Problem p = cpu_problem(4096, 512, 4096);
  for (const Variant variant : {Variant::kDirect, Variant::kStaged}) {
    const Selection s = on_cpu(p, {.variant = variant});
    EXPECT_EQ(s.variant, variant);
    EXPECT_EQ(s.reason, "override_variant");
    EXPECT_EQ(s.config, default_config(variant, p, cpu_));
  }
  database_.add(cpu_key(), winner(4096, 512, 4096));
  expect_unfused(on_cpu(p, {.variant = Variant::kUnfused}), Source::kOverride, "override_variant");
}

TEST_F(SelectLadder, AnIllegalOverrideIsAnError) {
  const Problem p = cpu_problem(4096, 512, 4096);
  for (const SelectOptions& options : {SelectOptions{.config = FusedConfig{.tile_m = 0}},
                                       SelectOptions{.variant = Variant::kCopyEngine}}) {
    try {
      (void)on_cpu(p, options);
      FAIL() << "must be refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kConfigError);
      EXPECT_TRUE(contains(error.what(), "4096x512x4096")) << error.what();
    }
  }
}

TEST_F(SelectLadder, AnUnknownChipIsUnfusedWhateverTheDatabaseHolds) {
  for (const char* text : {"quantum", "gfx90a-104cu", "sm_80-108sm"}) {
    const Arch arch = parse_arch(text);
    const Problem p = gpu_problem(131072, 16384, 16384);
    database_.add(database_key(p, arch, "xgmi"), imported(131072, 16384, 16384, 1.343));
    database_.add(gpu_key(), imported(131072, 16384, 16384, 1.343));
    const Selection s = select_config(p, arch, "xgmi", database_, {}, this_machine());
    expect_unfused(s, Source::kFallback, "unknown_arch");
    EXPECT_TRUE(contains(s.text, text)) << s.text;
    EXPECT_EQ(rung(s, Source::kExact), nullptr);
  }
}

TEST_F(SelectLadder, AnEmptyDatabaseAsksEveryRung) {
  const Selection s = on_cpu(cpu_problem(4096, 512, 4096));
  expect_unfused(s, Source::kFallback, "no_entry");
  ASSERT_EQ(s.rungs.size(), 5U);
  const Source order[] = {Source::kOverride, Source::kExact, Source::kNearest, Source::kModel,
                          Source::kFallback};
  for (std::size_t i = 0; i < s.rungs.size(); ++i) {
    EXPECT_EQ(s.rungs[i].rung, order[i]);
    EXPECT_EQ(s.rungs[i].answered, i == 4);
    EXPECT_FALSE(s.rungs[i].text.empty());
  }
}

TEST_F(SelectLadder, TheFileHeaderIsQuotedAndGatesNothing) {
  database_.set_header(gpu_key(4), 0.856, "loses on all tested shapes");
  database_.add(gpu_key(4), imported(262144, 8192, 8192, 0.856));
  for (const Problem& p : {gpu_problem(4096, 4096, 4096, 4), gpu_problem(262144, 8192, 8192, 4),
                           gpu_problem(262144, 8192, 8200, 4)}) {
    const Selection s = on_mi300x(p);
    EXPECT_EQ(s.variant, Variant::kUnfused);
    EXPECT_TRUE(contains(s.text, "0.856x")) << s.text;
    EXPECT_TRUE(contains(s.text, "loses on all tested shapes")) << s.text;
  }
  // A disabled file does not hide a good entry of its own.
  database_.add(gpu_key(4), imported(131072, 16384, 16384, 1.343));
  database_.reload();
  const Selection good = on_mi300x(gpu_problem(131072, 16384, 16384, 4));
  EXPECT_EQ(good.reason, "imported_win");
  EXPECT_FALSE(contains(good.text, "disabled")) << good.text;
}

TEST_F(SelectLadder, SameQuestionSameAnswer) {
  database_.add(cpu_key(), winner(4096, 512, 4096));
  const auto answer = [&](std::int64_t m) {
    const Selection s = on_cpu(cpu_problem(m, 512, 4096));
    std::string text = s.reason + s.text + s.unfused_form;
    if (s.config) text += to_string(*s.config);
    for (const RungReport& report : s.rungs) text += report.reason + report.text;
    return text;
  };
  for (const std::int64_t m : {4096, 4200, 9999}) EXPECT_EQ(answer(m), answer(m));
}

TEST(SelectReasons, TheTableHasEachCodeOnceWithAMeaning) {
  for (const select::Reason& row : select::kReasons) {
    EXPECT_FALSE(row.code.empty());
    EXPECT_FALSE(row.meaning.empty()) << row.code;
    EXPECT_EQ(std::count_if(select::kReasons.begin(), select::kReasons.end(),
                            [&](const select::Reason& other) { return other.code == row.code; }),
              1)
        << row.code;
  }
}

}  // namespace
}  // namespace weft
