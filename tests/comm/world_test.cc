// SPDX-License-Identifier: Apache-2.0
#include "weft/world.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "comm/endpoint.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

TEST(World, RefusesSizesOutOfRange) {
  for (const std::int32_t ranks : {0, -1, 65}) EXPECT_THROW(World::local(ranks), Error) << ranks;
  EXPECT_THROW(World::local(2, 0), Error);
  EXPECT_THROW(World::local(2, 257), Error);
}

TEST(World, EveryRankRunsOnce) {
  std::array<int, 16> runs{};
  World world = World::local(16);
  world.run([&](Rank& rank) {
    EXPECT_EQ(rank.world_size(), 16);
    ++runs[static_cast<std::size_t>(rank.rank())];
  });
  EXPECT_EQ(std::accumulate(runs.begin(), runs.end(), 0), 16);
  for (const int count : runs) EXPECT_EQ(count, 1);
}

TEST(World, BarrierHoldsEverybodyBack) {
  std::vector<int> values(8);
  World world = World::local(8);
  world.run([&](Rank& rank) {
    for (int round = 1; round <= 50; ++round) {
      values[static_cast<std::size_t>(rank.rank())] = round;
      rank.barrier();
      for (const int value : values) EXPECT_EQ(value, round);
      rank.barrier();
    }
  });
}

TEST(World, BroadcastAndMaximum) {
  World world = World::local(5);
  world.run([&](Rank& rank) {
    std::array<int, 3> data{rank.rank(), rank.rank() * 2, 7};
    rank.broadcast(std::as_writable_bytes(std::span(data)), 3);
    EXPECT_EQ(data, (std::array<int, 3>{3, 6, 7}));
    EXPECT_EQ(rank.all_reduce_max(-10.0 + rank.rank()), -6.0);
    EXPECT_THROW(rank.broadcast(std::as_writable_bytes(std::span(data)), 5), Error);
  });
}

TEST(World, SharedMemoryIsZeroedAndShared) {
  World world = World::local(4);
  world.run([&](Rank& rank) {
    const auto memory = rank.endpoint().alloc_shared(4 * sizeof(int), "test");
    int* words = reinterpret_cast<int*>(memory.get());
    EXPECT_EQ(words[rank.rank()], 0);
    rank.barrier();
    words[rank.rank()] = rank.rank() + 1;
    rank.barrier();
    EXPECT_EQ(words[0] + words[1] + words[2] + words[3], 10);
    rank.barrier();
  });
}

TEST(World, WorkersRunOnceEachAndTheirFirstErrorIsRethrown) {
  World world = World::local(2, 3);
  world.run([&](Rank& rank) {
    std::atomic<bool> abort{false};
    std::array<std::atomic<int>, 3> runs{};
    for (int round = 0; round < 20; ++round) {
      rank.endpoint().run_workers(
          [&](std::int32_t worker) { ++runs[static_cast<std::size_t>(worker)]; }, abort);
    }
    for (const auto& count : runs) EXPECT_EQ(count, 20);
    EXPECT_THROW(rank.endpoint().run_workers(
                     [&](std::int32_t worker) {
                       if (worker == 2) throw std::runtime_error("worker 2");
                     },
                     abort),
                 std::runtime_error);
    EXPECT_TRUE(abort);
  });
}

std::string message_of(World& world, const std::function<void(Rank&)>& fn) {
  try {
    world.run(fn);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(World, MissingRankIsNamedWithinTheLimit) {
  World world = World::local(3);
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = message_of(world, [](Rank& rank) {
    if (rank.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(timeout_ms() + 300));
    } else {
      rank.barrier();
    }
  });
  EXPECT_NE(text.find("rank 1 did not come within"), std::string::npos) << text;
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::milliseconds(3 * timeout_ms() + 1000));
}

TEST(World, OwnFailureWinsOverThePeersTimeouts) {
  World world = World::local(4);
  const std::string text = message_of(world, [](Rank& rank) {
    if (rank.rank() == 3) throw std::out_of_range("the cause");
    rank.barrier();
  });
  EXPECT_EQ(text, "the cause");
  EXPECT_NE(message_of(world, [](Rank&) {}).find("make a new one"), std::string::npos);
}

TEST(World, RankThatHangsElsewhereDoesNotHoldTheProcess) {
  World world = World::local(2);
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = message_of(world, [limit = timeout_ms()](Rank& rank) {
    if (rank.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(8 * limit));
      return;
    }
    rank.barrier();
  });
  EXPECT_NE(text.find("rank 1 did not come"), std::string::npos) << text;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(5 * timeout_ms()));
}

}  // namespace
}  // namespace weft
