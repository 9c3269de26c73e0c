// SPDX-License-Identifier: Apache-2.0
#include "select_fixture.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "count_allocations.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using testing::FakeDatabase;
using testing::loser;
using testing::this_machine;
using testing::winner;

class SelectorTest : public testing::SelectTest {
 protected:
  std::shared_ptr<FakeDatabase> shared_ = std::make_shared<FakeDatabase>();
  Selector selector_{shared_, cpu_, "shm", {}, this_machine()};
};

TEST_F(SelectorTest, WarmLookUpsAllocateNothingAndAskNobody) {
  shared_->add(cpu_key(), winner(4096, 512, 4096));
  const Problem fused = cpu_problem(4096, 512, 4096);
  const Problem unfused = cpu_problem(64, 64, 64);
  const auto first = selector_.select(fused);
  const auto second = selector_.select(unfused);
  EXPECT_EQ(first->variant, Variant::kDirect);
  EXPECT_EQ(second->variant, Variant::kUnfused);
  const int finds = shared_->finds();

  const std::int64_t before = testing::count_allocations();
  bool same = true;
  for (int i = 0; i < 1000; ++i) {
    same = same && selector_.select(fused) == first && selector_.select(unfused) == second;
  }
  EXPECT_EQ(testing::count_allocations() - before, 0);
  EXPECT_TRUE(same);
  EXPECT_EQ(shared_->finds(), finds) << "negative results must be remembered too";
}

TEST_F(SelectorTest, TheCountingOfAllocationsWorks) {
  const std::int64_t before = testing::count_allocations();
  (void)selector_.select(cpu_problem(4096, 512, 4096));
  EXPECT_GT(testing::count_allocations() - before, 0);
}

TEST_F(SelectorTest, EveryFieldOfTheProblemCounts) {
  const Problem base = cpu_problem(4096, 512, 4096);
  std::vector<Problem> problems(11, base);
  problems[1].m *= 2;
  problems[2].n *= 2;
  problems[3].k *= 2;
  problems[4].world_size = 4;
  problems[5].shard_dim = ShardDim::kM;
  problems[6].dtype = DType::kBf16;
  problems[7].layout = Layout::kTT;
  problems[8].has_bias = true;
  problems[9].return_gathered_a = true;
  problems[10].same_on_all_ranks = true;
  std::vector<std::shared_ptr<const Selection>> answers;
  for (const Problem& p : problems) answers.push_back(selector_.select(p));
  EXPECT_EQ(shared_->finds(), static_cast<int>(problems.size()));
  for (std::size_t i = 0; i < problems.size(); ++i) {
    EXPECT_EQ(selector_.select(problems[i]), answers[i]) << i;
  }
}

TEST_F(SelectorTest, AMissingFileIsRememberedUntilReload) {
  const Problem p = cpu_problem(4096, 512, 4096);
  EXPECT_EQ(selector_.select(p)->reason, "no_entry");
  shared_->add(cpu_key(), winner(4096, 512, 4096));
  EXPECT_EQ(selector_.select(p)->reason, "no_entry");
  shared_->reload();
  EXPECT_EQ(selector_.select(p)->reason, "measured_win");
}

TEST_F(SelectorTest, AnswersOutliveReloads) {
  const auto old = selector_.select(cpu_problem(64, 64, 64));
  shared_->reload();
  (void)selector_.select(cpu_problem(64, 64, 64));
  EXPECT_EQ(old->reason, "no_entry");
}

TEST_F(SelectorTest, OptionsApply) {
  shared_->add(cpu_key(), winner(4096, 512, 4096));
  Selector insisting(shared_, cpu_, "shm", {.variant = Variant::kStaged}, this_machine());
  EXPECT_EQ(insisting.select(cpu_problem(4096, 512, 4096))->variant, Variant::kStaged);
}

TEST_F(SelectorTest, ErrorsAreNotRemembered) {
  EXPECT_THROW((void)selector_.select(cpu_problem(0, 1, 2)), Error);
  EXPECT_THROW((void)selector_.select(cpu_problem(0, 1, 2)), Error);
}

TEST_F(SelectorTest, ManyShapesStayCorrectWhenTheMemoStartsOver) {
  shared_->add(cpu_key(), winner(4096, 512, 4096));
  for (std::int64_t m = 1; m <= 9000; ++m) {
    ASSERT_EQ(selector_.select(cpu_problem(4096 + m * 4096, 512, 4096))->reason, "out_of_radius");
  }
  EXPECT_EQ(selector_.select(cpu_problem(4096, 512, 4096))->reason, "measured_win");
}

TEST_F(SelectorTest, ThreadsAndReloadsMix) {
  shared_->add(cpu_key(), winner(4096, 512, 4096));
  shared_->add(cpu_key(), loser(64, 64, 64));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        if (t == 0 && i % 100 == 0) shared_->reload();
        if (selector_.select(cpu_problem(4096, 512, 4096))->reason != "measured_win") ++wrong;
        if (selector_.select(cpu_problem(64, 64, 64))->reason != "measured_loss") ++wrong;
        if (selector_.select(cpu_problem(100'000 + 1000 * i, 8, 8))->reason != "out_of_radius") {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace weft
