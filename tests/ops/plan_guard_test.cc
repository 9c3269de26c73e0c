// SPDX-License-Identifier: Apache-2.0
// The guard on real plans: an imported claim that is true stays, one that is false goes.
//
// Speeds are made by a trace sink that sleeps: in the gather (then `direct`, which has none, is
// truly faster) or in every compute step (then many small tiles are truly slower than one product).
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "ops/guard.hpp"
#include "ops/harness.hpp"

namespace weft::testing {
namespace {

class SlowSteps : public TraceSink {
 public:
  explicit SlowSteps(TraceKind kind)
      : kind_(kind), nap_(kind == TraceKind::kGather ? kGatherNap : kComputeNap) {}
  void record(const TraceEvent& event) override {
    if (event.kind == kind_) std::this_thread::sleep_for(nap_);
  }

 private:
  // A call has 2 gather steps when unfused, and 64 compute steps when fused: both far above what a
  // loaded machine adds.
  static constexpr std::chrono::milliseconds kGatherNap{20}, kComputeNap{1};
  TraceKind kind_;
  std::chrono::milliseconds nap_;
};

// One entry, whatever the key.
class OneEntry : public ConfigDatabase {
 public:
  explicit OneEntry(Entry entry) {
    FoundEntry found;
    found.entry = std::move(entry);
    found.layer = "test";
    entries_->entries.push_back(std::move(found));
  }
  std::shared_ptr<const KeyEntries> find(const DatabaseKey&) override { return entries_; }
  std::vector<DatabaseKey> keys() override { return {}; }
  void reload() override {}
  [[nodiscard]] std::uint64_t generation() const noexcept override { return 0; }
  [[nodiscard]] std::vector<DatabaseIssue> issues() const override { return {}; }
  std::string digest() override { return ""; }

 private:
  std::shared_ptr<KeyEntries> entries_ = std::make_shared<KeyEntries>();
};

Case guarded_case() {
  Case c;
  c.problem = {.m = 16, .n = 16, .k = 32, .world_size = 2};
  return c;
}

std::shared_ptr<ConfigDatabase> imported_win() {
  const Case c = guarded_case();
  Entry e;
  e.m = c.problem.m;
  e.n = c.problem.n;
  e.k = c.problem.k;
  e.config.tile_m = e.config.tile_n = 4;
  e.config.tile_k = 8;
  e.status = EntryStatus::kWin;
  e.stage = EntryStage::kImported;
  e.claimed_speedup = 1.3;
  return std::make_shared<OneEntry>(e);
}

struct Outcome {
  Selection before, after;
  int calls = 0;
};

Outcome settle(TraceKind slow, std::optional<GuardMode> mode, bool one_call) {
  const Case c = guarded_case();
  SlowSteps sink(slow);
  PlanOptions options;
  options.database = imported_win();
  options.select.guard = mode;
  options.trace = &sink;
  Outcome outcome;
  World world = World::local(2);
  world.run([&](Rank& rank) {
    Plan plan(rank, c.problem, options);
    Operands operands(c, rank.rank(), 3);
    const Selection before = plan.selection();
    int calls = 0;
    if (one_call) {
      plan.settle(operands.args());
      EXPECT_EQ(operands.check(), "");
    } else {
      while (plan.status() == PlanStatus::kGuarding) {
        operands.fill(static_cast<std::uint64_t>(calls++));
        plan.run(operands.args());
        EXPECT_EQ(operands.check(), "") << "call " << calls;
      }
    }
    operands.fill(99);
    plan.run(operands.args());
    EXPECT_EQ(operands.check(), "");
    if (rank.rank() == 1) outcome = {before, plan.selection(), calls};
  });
  return outcome;
}

TEST(PlanGuard, TrueImportedClaimStays) {
  const Outcome o = settle(TraceKind::kGather, std::nullopt, false);
  EXPECT_EQ(o.before.variant, Variant::kDirect);
  EXPECT_TRUE(o.before.guard);
  EXPECT_EQ(o.after.variant, Variant::kDirect);
  EXPECT_EQ(o.after.reason, "guard_kept");
  EXPECT_EQ(o.calls, ops::Guard::kCalls);
}

TEST(PlanGuard, FalseImportedClaimGoes) {
  const Outcome o = settle(TraceKind::kCompute, std::nullopt, false);
  EXPECT_EQ(o.before.variant, Variant::kDirect);
  EXPECT_EQ(o.after.variant, Variant::kUnfused);
  EXPECT_EQ(o.after.reason, "guard_dropped");
  EXPECT_FALSE(o.after.config.has_value());
}

TEST(PlanGuard, SettleDecidesInOneCall) {
  EXPECT_EQ(settle(TraceKind::kGather, std::nullopt, true).after.reason, "guard_kept");
  EXPECT_EQ(settle(TraceKind::kCompute, std::nullopt, true).after.reason, "guard_dropped");
}

TEST(PlanGuard, GuardOffSendsImportedWinnersToUnfused) {
  const Outcome o = settle(TraceKind::kGather, GuardMode::kOff, false);
  EXPECT_EQ(o.before.variant, Variant::kUnfused);
  EXPECT_EQ(o.calls, 0);
}

}  // namespace
}  // namespace weft::testing
