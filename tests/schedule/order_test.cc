// SPDX-License-Identifier: Apache-2.0
// Each invariant of the schedule over thousands of random grids.
#include "schedule/order.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "schedule/checks.hpp"
#include "schedule/grids.hpp"

namespace weft::schedule {
namespace {

/// Runs `check` for every rank of a random grid.
template <class Check>
void holds_on_all_ranks(Check check) {
  GridSpec spec = *random_spec();
  for (spec.rank = 0; spec.rank < spec.world_size; ++spec.rank) {
    const std::string bad = check(make_grid(spec));
    if (!bad.empty()) RC_FAIL(fmt::format("rank {}: {}", spec.rank, bad));
  }
}

RC_GTEST_PROP(ScheduleGrid, CutsRowsColumnsAndDepthWithoutGapOrOverlap, ()) {
  holds_on_all_ranks([](const Grid& g) { return check_cut(g); });
}

RC_GTEST_PROP(ScheduleGrid, PiecesKnowTheirReadersAndOwners, ()) {
  holds_on_all_ranks(check_pieces);
}

RC_GTEST_PROP(ScheduleGrid, FlagIndexIsABijection, ()) {
  holds_on_all_ranks([](const Grid& g) { return check_flags(g); });
}

RC_GTEST_PROP(ScheduleOrder, VisitsArePermutationsThatStartWithTheOwnShard, ()) {
  holds_on_all_ranks([](const Grid& g) { return check_visits(g); });
}

RC_GTEST_PROP(ScheduleOrder, PeersAreVisitedEvenly, ()) {
  holds_on_all_ranks([](const Grid& g) { return check_interleaving(g); });
}

RC_GTEST_PROP(ScheduleOrder, EachTileIsComputedOnce, ()) {
  holds_on_all_ranks([](const Grid& g) { return check_tiles(g); });
}

RC_GTEST_PROP(ScheduleOrder, EachRemotePartIsFetchedOnceAndNoOther, ()) {
  holds_on_all_ranks([](const Grid& g) { return check_fetches(g); });
}

RC_GTEST_PROP(ScheduleOrder, NoTileWaitsForALaterStage, ()) {
  holds_on_all_ranks([](const Grid& g) { return check_waits(g); });
}

RC_GTEST_PROP(ScheduleOrder, GroupsEndWithTheirStage, ()) {
  holds_on_all_ranks([](const Grid& g) { return check_groups(g); });
}

// At the same step no two ranks read from the same peer: each link carries one reader.
RC_GTEST_PROP(ScheduleOrder, RanksNeverMeetAtOnePeer, ()) {
  GridSpec spec = *random_spec();
  spec.rotate = true;
  const Grid shape = make_grid(spec);
  RC_PRE(!shape.spans);
  const std::int64_t steps = spec.shard_m ? shape.num_m_tiles : shape.num_k_groups;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::set<std::int64_t> shards;
    for (spec.rank = 0; spec.rank < spec.world_size; ++spec.rank) {
      const Grid g = make_grid(spec);
      shards.insert(spec.shard_m
                        ? m_tile_rows(g, m_visit(g, step)).begin * spec.world_size / spec.m
                        : k_group_range(g, k_visit(g, step)).begin * spec.world_size / spec.k);
    }
    RC_ASSERT(static_cast<std::int32_t>(shards.size()) == spec.world_size);
  }
}

// With the fixed order all ranks add up in the same order, so their last bits are equal.
RC_GTEST_PROP(ScheduleOrder, FixedDepthOrderIsTheSameOnAllRanks, ()) {
  GridSpec spec = *random_spec();
  spec.rotate = false;
  for (spec.rank = 0; spec.rank < spec.world_size; ++spec.rank) {
    const Grid g = make_grid(spec);
    for (std::int64_t i = 0; i < g.num_k_groups; ++i) RC_ASSERT(k_visit(g, i) == i);
  }
}

// A rank starts at once: what it visits first lies in its own shard and waits for no flag.
RC_GTEST_PROP(ScheduleOrder, FirstWorkWaitsForNothing, ()) {
  GridSpec spec = *random_spec();
  spec.rotate = true;
  const Grid g = make_grid(spec);
  RC_PRE(!g.spans);
  for (std::int64_t i = 0; i < g.m_tiles_per_shard; ++i) {
    RC_ASSERT(!must_be_fetched(g, m_visit(g, i), 0));
  }
  for (std::int64_t i = 0; !spec.shard_m && i < g.k_groups_per_shard; ++i) {
    RC_ASSERT(!must_be_fetched(g, 0, k_visit(g, i)));
  }
}

TEST(ScheduleOrder, FetchersOfTheFirstStageAreCountedApart) {
  EXPECT_EQ(num_fetchers(0, 52, 4), 52);
  EXPECT_EQ(num_fetchers(1, 52, 4), 4);
  EXPECT_EQ(num_fetchers(63, 52, 4), 4);
}

// The properties above say something only about the kinds of grid that the generator makes.
TEST(RandomGrids, ReachEveryKind) {
  constexpr int kDraws = 4000;
  std::array<int, 17> world_sizes{};
  std::array<int, 10> kinds{};
  const auto gen = random_spec();
  for (int i = 0; i < kDraws; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const GridSpec s = gen(rc::Random(seed), i % (rc::kNominalSize + 1)).value();
    const Grid g = make_grid(s);
    ASSERT_LE(g.num_m_tiles, 256);
    ASSERT_LE(g.num_n_tiles, 24);
    ASSERT_LE(g.num_k_groups, 384);
    ++world_sizes.at(s.world_size);
    const std::int64_t last_stage = stage_positions(g, g.num_stages - 1).size();
    const std::array<bool, 10> is = {
        s.shard_m && g.spans,
        g.spans && s.tile_m % g.m_local != 0,
        s.shard_m && !g.spans && s.world_size > 1 && g.m_local % s.tile_m != 0,
        !s.shard_m && s.world_size > 1 && s.rotate && s.rank > 0,
        !s.shard_m && s.world_size > 1 && !s.rotate && s.rank > 0,
        g.num_stages > 1 && s.group_m > 1 && g.stage_m_tiles % s.group_m != 0,
        g.num_stages > 1 && last_stage != g.stage_m_tiles,
        s.num_fetch_stages > g.num_m_tiles,
        s.group_m > g.num_m_tiles,
        s.tile_m > s.m && s.tile_n > s.n};
    for (std::size_t kind = 0; kind < is.size(); ++kind) kinds.at(kind) += is.at(kind) ? 1 : 0;
  }
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    EXPECT_GE(kinds.at(kind), kDraws / 100) << "kind " << kind;
  }
  for (std::size_t n = 1; n < world_sizes.size(); ++n) {
    EXPECT_GE(world_sizes.at(n), kDraws / 100) << "world_size " << n;
  }
}

}  // namespace
}  // namespace weft::schedule
