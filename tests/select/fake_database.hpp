// SPDX-License-Identifier: Apache-2.0
// A database in memory, and entries to put in it.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/database.hpp"

namespace weft::testing {

class FakeDatabase : public ConfigDatabase {
 public:
  /// What the "files" hold now; seen by `find` after the next `reload`, as with real files.
  void add(const DatabaseKey& key, FoundEntry found) {
    KeyEntries& file = files_[key.relative_path()];
    file.entries.push_back(std::move(found));
    std::sort(file.entries.begin(), file.entries.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.entry.m, a.entry.n, a.entry.k) <
             std::tuple(b.entry.m, b.entry.n, b.entry.k);
    });
  }
  void set_header(const DatabaseKey& key, double best_claimed, std::string disabled_reason) {
    files_[key.relative_path()].best_claimed_speedup = best_claimed;
    files_[key.relative_path()].disabled_reason = std::move(disabled_reason);
  }
  [[nodiscard]] int finds() const { return finds_; }

  std::shared_ptr<const KeyEntries> find(const DatabaseKey& key) override {
    ++finds_;
    const std::lock_guard lock(mutex_);
    auto& cached = cache_[key.relative_path()];
    if (!cached) {
      const auto file = files_.find(key.relative_path());
      cached =
          std::make_shared<const KeyEntries>(file == files_.end() ? KeyEntries{} : file->second);
    }
    return cached;
  }
  std::vector<DatabaseKey> keys() override { return {}; }
  void reload() override {
    const std::lock_guard lock(mutex_);
    cache_.clear();
    ++generation_;
  }
  [[nodiscard]] std::uint64_t generation() const noexcept override { return generation_; }
  [[nodiscard]] std::vector<DatabaseIssue> issues() const override { return {}; }
  std::string digest() override { return "fake"; }

 private:
  std::map<std::string, KeyEntries> files_;
  std::map<std::string, std::shared_ptr<const KeyEntries>> cache_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<int> finds_{0};
};

/// The environment in which the tests select, and the entries below were measured.
inline Environment this_machine() {
  return {.library_version = "0.1.0",
          .library_commit = "abc",
          .kernel_hash = "k1",
          .compiler = "GNU 12.2.0",
          .driver = "none",
          .runtime = "libgomp 12",
          .unfused_gemm = "oneDNN 2.6.3",
          .unfused_gather = "weft memcpy",
          .host = "test"};
}

/// A confirmed entry of a CPU shape, with a configuration that is legal for any CPU problem.
inline FoundEntry measured(std::int64_t m, std::int64_t n, std::int64_t k, EntryStatus status,
                           double speedup, double lo, double hi) {
  FoundEntry found;
  found.entry.m = m;
  found.entry.n = n;
  found.entry.k = k;
  found.entry.config = {.variant = Variant::kDirect, .tile_m = 256, .tile_n = 512, .tile_k = 512};
  found.entry.status = status;
  found.entry.stage = EntryStage::kConfirmed;
  found.entry.speedup = speedup;
  found.entry.speedup_lo = lo;
  found.entry.speedup_hi = hi;
  found.entry.pairs = 11;
  found.entry.unfused_form = "gather_per_shard";
  found.entry.env = "e1";
  found.environment = this_machine();
  found.layer = "user";
  found.file = "fake";
  return found;
}

inline FoundEntry winner(std::int64_t m, std::int64_t n, std::int64_t k) {
  return measured(m, n, k, EntryStatus::kWin, 1.20, 1.10, 1.30);
}
inline FoundEntry loser(std::int64_t m, std::int64_t n, std::int64_t k) {
  return measured(m, n, k, EntryStatus::kLose, 0.80, 0.75, 0.85);
}

/// An imported entry with a configuration legal on gfx942; claimed 0 states none.
inline FoundEntry imported(std::int64_t m, std::int64_t n, std::int64_t k, double claimed) {
  FoundEntry found;
  found.entry.m = m;
  found.entry.n = n;
  found.entry.k = k;
  found.entry.config = {.variant = Variant::kStaged,
                        .tile_m = 256,
                        .tile_n = 256,
                        .tile_k = 64,
                        .group_m = 24,
                        .k_per_flag = 32,
                        .num_fetch_sms = 4,
                        .first_stage_fetch_sms = 52,
                        .num_fetch_stages = 64,
                        .num_stages = 2,
                        .num_warps = 8,
                        .num_xcds = 8,
                        .allow_tf32 = true};
  found.entry.status = claimed > 1   ? EntryStatus::kWin
                       : claimed > 0 ? EntryStatus::kLose
                                     : EntryStatus::kUnmeasured;
  found.entry.stage = EntryStage::kImported;
  found.entry.claimed_speedup = claimed;
  found.layer = "shipped";
  found.file = "fake";
  return found;
}

}  // namespace weft::testing
