// SPDX-License-Identifier: Apache-2.0
// Whatever the number of workers, the roles and the interleaving: all tiles get done.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "schedule/grids.hpp"
#include "schedule/simulation.hpp"

namespace weft::schedule {
namespace {

Simulation random_simulation(Roles roles) {
  Simulation s;
  s.num_workers = *rc::gen::inRange<std::int32_t>(1, 13);
  s.num_resident = *rc::gen::inRange<std::int32_t>(1, s.num_workers + 1);
  s.first_stage_fetchers = *rc::gen::inRange<std::int32_t>(1, 15);
  s.later_fetchers = *rc::gen::inRange<std::int32_t>(1, 15);
  s.roles = roles;
  s.adversary = *rc::gen::element(Adversary::kByChoices, Adversary::kByChoices, Adversary::kLowest,
                                  Adversary::kHighest);
  s.choices = *rc::gen::container<std::vector<std::uint32_t>>(
      97, rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, 1 << 16)));
  return s;
}

void finishes(Roles roles) {
  const Grid g = make_grid(*random_spec());
  const Simulation simulation = random_simulation(roles);
  const std::string bad = simulate(g, simulation);
  if (!bad.empty()) {
    RC_FAIL(fmt::format("{} ({} workers, {} resident, fetchers {} then {}, adversary {})", bad,
                        simulation.num_workers, simulation.num_resident,
                        simulation.first_stage_fetchers, simulation.later_fetchers,
                        static_cast<int>(simulation.adversary)));
  }
}

RC_GTEST_PROP(ScheduleProgress, FetchersThatJoinLaterFinish, ()) {
  finishes(Roles::kFetchThenCompute);
}

RC_GTEST_PROP(ScheduleProgress, WorkersThatGoStageByStageFinish, ()) {
  finishes(Roles::kStageByStage);
}

// The one case that no order can save: nobody fetches. Shows that the simulation notices.
TEST(ScheduleProgress, NobodyFetchingIsADeadlock) {
  const Grid g = make_grid({.m = 2, .n = 1, .k = 2, .world_size = 2});
  Simulation simulation{.num_workers = 3, .num_resident = 3, .first_stage_fetchers = 0};
  EXPECT_EQ(simulate(g, simulation), "deadlock: tile (0, 0) waits for flag 1");
  simulation.first_stage_fetchers = 1;
  EXPECT_EQ(simulate(g, simulation), "");
}

}  // namespace
}  // namespace weft::schedule
