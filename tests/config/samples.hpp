// SPDX-License-Identifier: Apache-2.0
// Valid entries, files and folders that the tests of src/config start from.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "config/entry_json.hpp"
#include "config/file.hpp"
#include "support/temporary_folder.hpp"
#include "weft/database.hpp"

namespace weft::config {

using test::TemporaryFolder;

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void spill(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  ASSERT_TRUE(out.good()) << path;
}

inline DatabaseKey sample_key() {
  DatabaseKey key;
  key.device = "cpu_avx2-6.143-t1";
  key.dtype = DType::kF32;
  key.layout = Layout::kNN;
  key.shard_dim = ShardDim::kM;
  key.world_size = 2;
  key.link = "shm";
  return key;
}

inline Environment sample_environment() {
  return {"0.1.0",   "0123abc",      "feed5eed",    "GNU 12.2.0",     "none",
          "libgomp", "oneDNN 2.6.3", "weft memcpy", "Some CPU \"v2\""};
}

/// A confirmed win of the sample key, in the sample environment.
inline Entry measured_entry(std::int64_t m = 8192, std::int64_t n = 128, std::int64_t k = 4096) {
  Entry entry;
  entry.m = m;
  entry.n = n;
  entry.k = k;
  entry.config.tile_n = 1024;
  entry.status = EntryStatus::kWin;
  entry.stage = EntryStage::kConfirmed;
  entry.speedup = 1.3125;
  entry.speedup_lo = 1.25;
  entry.speedup_hi = 1.375;
  entry.pairs = 11;
  entry.t_fused_us = 26250.5;
  entry.t_unfused_us = 34453.75;
  entry.noise_floor = 0.0075;
  entry.max_rel_err = 0.000001;
  entry.unfused_form = "one_call";
  entry.env = environment_id(sample_environment());
  entry.tuned_at = "2026-01-31T12:00:00Z";
  return entry;
}

inline Entry imported_entry(double claimed, std::int64_t m = 8192, std::int64_t n = 128,
                            std::int64_t k = 4096) {
  Entry entry;
  entry.m = m;
  entry.n = n;
  entry.k = k;
  entry.config.variant = Variant::kStaged;
  entry.status = claimed > 1 ? EntryStatus::kWin : EntryStatus::kLose;
  entry.stage = EntryStage::kImported;
  entry.claimed_speedup = claimed;
  entry.label = "g2";
  return entry;
}

inline DatabaseFile sample_file() {
  DatabaseFile file;
  file.key = sample_key();
  file.environments[environment_id(sample_environment())] = sample_environment();
  file.entries = {measured_entry(), measured_entry(16384, 32, 2048)};
  file.command = "weft bench --record";
  return file;
}

}  // namespace weft::config
