// SPDX-License-Identifier: Apache-2.0
// The flag protocol under bad luck: late ranks, dead ranks, reused buffers, interleaved plans.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "ops/harness.hpp"
#include "weft/all_gather_matmul.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

using std::chrono::milliseconds;

Case small_case(Variant variant, ShardDim dim = ShardDim::kK, std::int32_t ranks = 3) {
  Case c;
  c.problem = {.m = 24, .n = 20, .k = 48, .world_size = ranks, .shard_dim = dim};
  c.threads = 2;
  if (variant == Variant::kUnfused) return c;
  FusedConfig config;
  config.variant = variant;
  config.tile_m = 8;
  config.tile_n = 8;
  config.tile_k = 8;
  config.num_fetch_stages = 2;
  c.config = config;
  return c;
}

constexpr Variant kVariants[] = {Variant::kUnfused, Variant::kDirect, Variant::kStaged};

// Sleeps after every event of one kind on one rank.
class Straggler : public TraceSink {
 public:
  Straggler(std::int32_t rank, TraceKind kind) : rank_(rank), kind_(kind) {}
  void record(const TraceEvent& event) override {
    if (event.rank != rank_ || event.kind != kind_) return;
    ++hits_;
    std::this_thread::sleep_for(milliseconds(2));
  }
  [[nodiscard]] int hits() const { return hits_; }

 private:
  std::int32_t rank_;
  TraceKind kind_;
  std::atomic<int> hits_{0};
};

TEST(Protocol, StragglerAtEachStepChangesNothing) {
  constexpr TraceKind kKinds[] = {TraceKind::kGather, TraceKind::kFetch, TraceKind::kWait,
                                  TraceKind::kCompute};
  int hits = 0;
  for (const Variant variant : kVariants) {
    for (const ShardDim dim : {ShardDim::kM, ShardDim::kK}) {
      for (const TraceKind kind : kKinds) {
        const Case c = small_case(variant, dim);
        Straggler straggler(1, kind);
        World world = World::local(c.problem.world_size, c.threads);
        world.run([&](Rank& rank) {
          PlanOptions options = options_of(c);
          options.trace = &straggler;
          Plan plan(rank, c.problem, options);
          Operands operands(c, rank.rank(), 1);
          for (int run = 0; run < 2; ++run) {
            operands.fill(static_cast<std::uint64_t>(run));
            plan.run(operands.args());
            EXPECT_EQ(operands.check(), "");
          }
        });
        hits += straggler.hits();
      }
    }
  }
  EXPECT_GT(hits, 100);
}

TEST(Protocol, LateRankIsWaitedFor) {
  for (const Variant variant : kVariants) {
    const Case c = small_case(variant);
    World world = World::local(c.problem.world_size, c.threads);
    world.run([&](Rank& rank) {
      Plan plan(rank, c.problem, options_of(c));
      Operands operands(c, rank.rank(), 1);
      for (int run = 0; run < 3; ++run) {
        operands.fill(static_cast<std::uint64_t>(run));
        if (rank.rank() == run) std::this_thread::sleep_for(milliseconds(30));
        plan.run(operands.args());
        EXPECT_EQ(operands.check(), "");
      }
    });
  }
}

// On return from run no peer reads A any more, so A may change at once; C and staging are reused.
TEST(Protocol, ThousandRunsOfOnePlanWithChangingA) {
  for (const Variant variant : kVariants) {
    Case c = small_case(variant, ShardDim::kK, 2);
    c.problem.m = 9;
    c.problem.n = 5;
    c.problem.k = 16;
    World world = World::local(2, 2);
    world.run([&](Rank& rank) {
      Plan plan(rank, c.problem, options_of(c));
      Operands operands(c, rank.rank(), 0);
      for (std::uint64_t run = 0; run < 1000; ++run) {
        operands.fill(run);
        plan.run(operands.args());
        ASSERT_EQ(operands.check(), "") << "run " << run;
      }
    });
  }
}

TEST(Protocol, TwoPlansInterleavedOnOneWorld) {
  const Case one = small_case(Variant::kStaged), two = small_case(Variant::kDirect, ShardDim::kM);
  World world = World::local(3, 2);
  world.run([&](Rank& rank) {
    Plan first(rank, one.problem, options_of(one));
    Plan second(rank, two.problem, options_of(two));
    Operands a(one, rank.rank(), 0), b(two, rank.rank(), 0);
    for (std::uint64_t run = 0; run < 20; ++run) {
      a.fill(run);
      b.fill(run + 100);
      first.run(a.args());
      second.run(b.args());
      EXPECT_EQ(a.check(), "");
      EXPECT_EQ(b.check(), "");
    }
  });
}

TEST(Protocol, OneCallFormKeepsItsPlans) {
  const Case one = small_case(Variant::kStaged), two = small_case(Variant::kDirect, ShardDim::kM);
  World world = World::local(3, 2);
  const PlanOptions first = options_of(one), second = options_of(two);
  for (int round = 0; round < 2; ++round) {
    world.run([&](Rank& rank) {
      Operands a(one, rank.rank(), 3), b(two, rank.rank(), 4);
      for (int run = 0; run < 3; ++run) {
        all_gather_matmul(rank, one.problem, a.args(), first);
        all_gather_matmul(rank, two.problem, b.args(), second);
        EXPECT_EQ(a.check(), "");
        EXPECT_EQ(b.check(), "");
      }
    });
  }
}

std::string failure_of(World& world, const std::function<void(Rank&)>& fn, ErrorCode expected) {
  try {
    world.run(fn);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Protocol, RankThatNeverArrivesEndsInTimeoutNamingRankAndFlag) {
  for (const Variant variant : kVariants) {
    const Case c = small_case(variant);
    World world = World::local(c.problem.world_size, c.threads);
    std::mutex mutex;
    std::vector<std::string> seen;
    const auto begin = std::chrono::steady_clock::now();
    failure_of(
        world,
        [&](Rank& rank) {
          Plan plan(rank, c.problem, options_of(c));
          Operands operands(c, rank.rank(), 1);
          if (rank.rank() == 2) {
            std::this_thread::sleep_for(milliseconds(timeout_ms() + 500));
            return;
          }
          try {
            plan.run(operands.args());
          } catch (const Error& error) {
            EXPECT_EQ(plan.status(), PlanStatus::kFailed);
            EXPECT_THROW(plan.run(operands.args()), Error);
            const std::lock_guard lock(mutex);
            seen.emplace_back(error.what());
            throw;
          }
        },
        ErrorCode::kTimeout);
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took, milliseconds(3 * timeout_ms() + 2000));
    ASSERT_EQ(seen.size(), 2u);
    int named = 0;
    for (const std::string& text : seen) {
      named += text.find("rank 2 did not come within") != std::string::npos ? 1 : 0;
      EXPECT_NE(text.find("flag"), std::string::npos) << text;
      EXPECT_NE(text.find("wanted"), std::string::npos) << text;
    }
    EXPECT_GE(named, 1);
  }
}

TEST(Protocol, RankThatThrowsFailsItsPeersAtOnce) {
  const Case c = small_case(Variant::kStaged);
  World world = World::local(3, 2);
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = failure_of(
      world,
      [&](Rank& rank) {
        Plan plan(rank, c.problem, options_of(c));
        Operands operands(c, rank.rank(), 1);
        if (rank.rank() == 1) throw Error(ErrorCode::kUnsupported, "rank 1 gives up");
        plan.run(operands.args());
      },
      ErrorCode::kUnsupported);
  EXPECT_EQ(text, "rank 1 gives up");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(timeout_ms()));
  EXPECT_THROW(world.run([](Rank&) {}), Error) << "a failed World must not be reused";
}

TEST(Protocol, RankThatReturnsEarlyIsNamed) {
  const Case c = small_case(Variant::kDirect);
  World world = World::local(3, 1);
  const std::string text = failure_of(
      world,
      [&](Rank& rank) {
        Plan plan(rank, c.problem, options_of(c));
        Operands operands(c, rank.rank(), 1);
        if (rank.rank() != 0) plan.run(operands.args());
      },
      ErrorCode::kTimeout);
  EXPECT_NE(text.find("rank 0 returned early"), std::string::npos) << text;
}

TEST(Protocol, BadOperandsOnOneRankAreThatRanksError) {
  const Case c = small_case(Variant::kStaged);
  World world = World::local(3, 1);
  const std::string text = failure_of(
      world,
      [&](Rank& rank) {
        Plan plan(rank, c.problem, options_of(c));
        Operands operands(c, rank.rank(), 1);
        RunArgs args = operands.args();
        if (rank.rank() == 2) args.b = nullptr;
        plan.run(args);
      },
      ErrorCode::kInvalidArgument);
  EXPECT_NE(text.find("b is null"), std::string::npos) << text;
}

}  // namespace
}  // namespace weft::testing
