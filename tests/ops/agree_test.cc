// SPDX-License-Identifier: Apache-2.0
// Ranks that see different problems, databases or options still run one and the same thing.
#include <gtest/gtest.h>

#include <mutex>

#include "ops/harness.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

Case base_case() {
  Case c;
  c.problem = {.m = 16, .n = 12, .k = 32, .world_size = 2};
  FusedConfig config;
  config.tile_m = config.tile_n = config.tile_k = 8;
  c.config = config;
  return c;
}

// Runs with per-rank options; returns the selections.
std::vector<Selection> selections(const std::function<PlanOptions(std::int32_t)>& options) {
  const Case c = base_case();
  std::vector<Selection> seen(2);
  World world = World::local(2);
  world.run([&](Rank& rank) {
    Plan plan(rank, c.problem, options(rank.rank()));
    Operands operands(c, rank.rank(), 5);
    plan.run(operands.args());
    EXPECT_EQ(operands.check(), "");
    seen[static_cast<std::size_t>(rank.rank())] = plan.selection();
  });
  return seen;
}

TEST(Agree, RankZeroCountsWhenChoicesDiffer) {
  const Case fused = base_case();
  Case plain = base_case();
  plain.config.reset();
  for (const bool root_fused : {true, false}) {
    const auto seen = selections(
        [&](std::int32_t rank) { return options_of((rank == 0) == root_fused ? fused : plain); });
    EXPECT_EQ(seen[0].variant, root_fused ? Variant::kDirect : Variant::kUnfused);
    EXPECT_EQ(seen[1].variant, seen[0].variant);
    EXPECT_EQ(seen[1].config, seen[0].config);
    EXPECT_EQ(seen[1].reason, "rank0_choice");
  }
}

TEST(Agree, DifferentConfigurationsAreSettledToo) {
  Case other = base_case();
  other.config->tile_m = 4;
  const auto seen =
      selections([&](std::int32_t rank) { return options_of(rank == 0 ? base_case() : other); });
  EXPECT_EQ(seen[1].config->tile_m, 8);
}

TEST(Agree, DifferentProblemsAreAnErrorOnAllRanks) {
  std::mutex mutex;
  int refused = 0;
  World world = World::local(2);
  EXPECT_THROW(world.run([&](Rank& rank) {
    Case c = base_case();
    c.problem.n += rank.rank();
    try {
      Plan plan(rank, c.problem, options_of(c));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_NE(std::string(error.what()).find("16x13x32"), std::string::npos) << error.what();
      const std::lock_guard lock(mutex);
      ++refused;
      throw;
    }
  }),
               Error);
  EXPECT_EQ(refused, 2);
}

TEST(Agree, ProblemOfAnotherWorldSizeIsRefused) {
  World world = World::local(2);
  Case c = base_case();
  c.problem.world_size = 4;
  try {
    world.run([&](Rank& rank) { Plan plan(rank, c.problem, options_of(c)); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "problem.world_size=4 but this World has 2 ranks");
  }
}

TEST(Agree, F16DoesNotRunOnTheCpu) {
  World world = World::local(2);
  Case c = base_case();
  c.problem.dtype = DType::kF16;
  try {
    world.run([&](Rank& rank) { Plan plan(rank, c.problem, {}); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  }
}

}  // namespace
}  // namespace weft::testing
