// SPDX-License-Identifier: Apache-2.0
// Loading all shipped files (goal: under 10 ms) and looking a known key up.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "weft/database.hpp"

namespace {

using weft::ConfigDatabase;

// The result is checked before it is timed: a database that lost its files would look fast.
std::shared_ptr<ConfigDatabase> open_shipped(benchmark::State& state) {
  auto database = ConfigDatabase::open({}, true);
  std::size_t entries = 0;
  for (const weft::DatabaseKey& key : database->keys()) {
    entries += database->find(key)->entries.size();
  }
  if (entries == 0 || !database->issues().empty()) {
    state.SkipWithError("the shipped files do not load cleanly");
  }
  return database;
}

void load_all_shipped(benchmark::State& state) {
  const auto checked = open_shipped(state);
  for (auto _ : state) {
    const auto database = ConfigDatabase::open({}, true);
    for (const weft::DatabaseKey& key : database->keys()) {
      benchmark::DoNotOptimize(database->find(key));
    }
  }
}
BENCHMARK(load_all_shipped)->Unit(benchmark::kMillisecond);

void find_known_key(benchmark::State& state) {
  const auto database = open_shipped(state);
  const weft::DatabaseKey key = database->keys().front();
  for (auto _ : state) benchmark::DoNotOptimize(database->find(key));
}
BENCHMARK(find_known_key)->Unit(benchmark::kNanosecond);

}  // namespace

BENCHMARK_MAIN();
