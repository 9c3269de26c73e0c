// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "weft/trace.hpp"

namespace weft {
namespace {

TraceEvent event(TraceKind kind, std::int32_t rank, std::int32_t worker, std::int64_t begin_ns,
                 std::int64_t end_ns) {
  return {.kind = kind, .rank = rank, .worker = worker, .begin_ns = begin_ns, .end_ns = end_ns};
}

nlohmann::json written(const TraceRecorder& recorder) {
  std::ostringstream out;
  recorder.write_json(out);
  return nlohmann::json::parse(out.str());
}

/// The spans, without the metadata that names processes and threads.
std::vector<nlohmann::json> spans(const nlohmann::json& trace) {
  std::vector<nlohmann::json> found;
  for (const auto& e : trace.at("traceEvents")) {
    if (e.at("ph") == "X") found.push_back(e);
  }
  return found;
}

TEST(TraceRecorder, WritesAnEmptyTimelineAsValidJson) {
  const TraceRecorder recorder;
  EXPECT_EQ(recorder.size(), 0u);
  EXPECT_TRUE(written(recorder).at("traceEvents").empty());
}

TEST(TraceRecorder, GivesTimesInMicrosecondsFromTheFirstEvent) {
  TraceRecorder recorder;
  recorder.record(event(TraceKind::kCompute, 0, 0, 5'000'001'500, 5'000'004'750));
  recorder.record(event(TraceKind::kFetch, 0, 1, 5'000'000'000, 5'000'001'001));
  const auto found = spans(written(recorder));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at("name"), "compute");
  EXPECT_DOUBLE_EQ(found[0].at("ts"), 1.5);
  EXPECT_DOUBLE_EQ(found[0].at("dur"), 3.25);
  EXPECT_EQ(found[1].at("name"), "fetch");
  EXPECT_DOUBLE_EQ(found[1].at("ts"), 0.0);
  EXPECT_DOUBLE_EQ(found[1].at("dur"), 1.001);
}

TEST(TraceRecorder, NamesAProcessPerRankAndAThreadPerWorker) {
  TraceRecorder recorder;
  for (std::int32_t rank : {0, 1}) {
    for (std::int32_t worker : {0, 1, 2}) {
      recorder.record(event(TraceKind::kWait, rank, worker, 10, 20));
    }
  }
  std::map<std::string, std::set<std::int64_t>> processes;
  std::set<std::pair<std::int64_t, std::int64_t>> threads;
  const nlohmann::json trace = written(recorder);
  for (const auto& e : trace.at("traceEvents")) {
    if (e.at("ph") != "M") continue;
    if (e.at("name") == "process_name") {
      processes[e.at("args").at("name")].insert(e.at("pid").get<std::int64_t>());
    } else {
      EXPECT_EQ(e.at("name"), "thread_name");
      threads.emplace(e.at("pid"), e.at("tid"));
    }
  }
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes.at("rank 0").size(), 1u);
  EXPECT_EQ(processes.at("rank 1").size(), 1u);
  EXPECT_NE(processes.at("rank 0"), processes.at("rank 1"));
  EXPECT_EQ(threads.size(), 6u);
}

TEST(TraceRecorder, GivesOnlyTheIndicesThatApply) {
  TraceRecorder recorder;
  TraceEvent e = event(TraceKind::kFetch, 0, 0, 0, 1);
  e.m_tile = 3;
  e.k_group = 7;
  recorder.record(e);
  EXPECT_EQ(spans(written(recorder)).front().at("args"),
            nlohmann::json({{"m_tile", 3}, {"k_group", 7}}));
}

TEST(TraceRecorder, SpellsEveryKind) {
  EXPECT_EQ(to_string(TraceKind::kGather), "gather");
  EXPECT_EQ(to_string(TraceKind::kFetch), "fetch");
  EXPECT_EQ(to_string(TraceKind::kWait), "wait");
  EXPECT_EQ(to_string(TraceKind::kCompute), "compute");
  EXPECT_EQ(to_string(TraceKind::kWiden), "widen");
}

TEST(TraceRecorder, KeepsEveryEventOfManyThreads) {
  constexpr int kThreads = 70;  // more than there are shards, so that some are shared
  // Some threads fill more than one block of events.
  const auto count = [](int thread) { return thread % 16 == 0 ? 1100 : 50; };
  TraceRecorder recorder;
  std::vector<std::thread> threads;
  std::size_t total = 0;
  for (int t = 0; t < kThreads; ++t) {
    total += static_cast<std::size_t>(count(t));
    threads.emplace_back([&recorder, &count, t] {
      for (int i = 0; i < count(t); ++i) {
        recorder.record(event(TraceKind::kCompute, t % 4, t / 4, i, i + 1));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(recorder.size(), total);

  std::map<std::int64_t, std::vector<double>> begins;
  for (const auto& e : spans(written(recorder))) {
    begins[e.at("tid").get<std::int64_t>()].push_back(e.at("ts"));
  }
  ASSERT_EQ(begins.size(), std::size_t{kThreads});
  std::size_t found = 0;
  for (const auto& [worker, times] : begins) {
    found += times.size();
    for (std::size_t i = 0; i < times.size(); ++i) {
      ASSERT_DOUBLE_EQ(times[i], static_cast<double>(i) / 1000) << "thread " << worker;
    }
  }
  EXPECT_EQ(found, total);
}

}  // namespace
}  // namespace weft
