// SPDX-License-Identifier: Apache-2.0
// The shipped files, number by number.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "config/embedded.hpp"
#include "config/samples.hpp"
#include "config/seed_rows.hpp"

namespace weft::config {
namespace {

struct SeedFile {
  const char* device;
  std::int32_t world_size;
  std::span<const SeedRow> rows;
  double best_claimed_speedup;
  const char* disabled_part;  // of disabled_reason; "" if there is none
};
const SeedFile kSeedFiles[] = {
    {"gfx942-304cu", 8, kMi300xWs8, 1.343, ""},
    {"gfx942-304cu", 4, kMi300xWs4, 0.856, "crash at num_stages 2 (65,540 of 65,536 bytes"},
    {"gfx942-304cu", 2, kMi300xWs2, 0.887, "forces num_stages 1 (a loss of 15 to 35 %)"},
    {"gfx950-256cu", 8, kMi355xWs8, 0.882, ""},
};

DatabaseKey key_of(const SeedFile& seed) {
  DatabaseKey key;
  key.device = seed.device;
  key.dtype = DType::kF16;
  key.layout = Layout::kNN;
  key.shard_dim = ShardDim::kK;
  key.world_size = seed.world_size;
  key.link = "xgmi";
  return key;
}

const Entry* entry_of(const KeyEntries& entries, const SeedRow& row) {
  for (const FoundEntry& found : entries.entries) {
    const Entry& e = found.entry;
    if (e.m == row.m && e.n == row.n && e.k == row.k) return &e;
  }
  return nullptr;
}

bool note_has(const Entry& entry, const char* part) {
  return entry.note.find(part) != std::string::npos;
}

void expect_equal(const SeedRow& row, const Entry& e) {
  SCOPED_TRACE(row.label);
  const FusedConfig& c = e.config;
  const std::array<std::int32_t, 10> config{c.tile_m,
                                            c.tile_n,
                                            c.tile_k,
                                            c.group_m,
                                            c.k_per_flag,
                                            c.num_fetch_sms,
                                            c.first_stage_fetch_sms,
                                            c.num_fetch_stages,
                                            c.num_stages,
                                            c.num_warps};
  EXPECT_EQ(config, row.config);
  EXPECT_EQ(c.variant, Variant::kStaged);
  EXPECT_EQ(c.num_xcds, 8);
  EXPECT_TRUE(c.allow_tf32);
  EXPECT_EQ(e.label, row.label);
  EXPECT_EQ(e.claimed_speedup, row.speedup);
  EXPECT_EQ(e.claimed_tflops, row.tflops);
  EXPECT_EQ(e.trials, row.trials);
  EXPECT_EQ(e.stage, EntryStage::kImported);
  EXPECT_EQ(e.speedup_lo, 0);
  EXPECT_FALSE(e.description.empty());
  EXPECT_TRUE(note_has(e, "dtype f16 and shard_dim k are inferred")) << e.note;
}

EntryStatus status_of(const SeedRow& row) {
  if (std::string_view(row.label) == "llama7b_down") return EntryStatus::kBroken;
  if (std::string_view(row.label) == "m1") return EntryStatus::kUnmeasured;  // withdrawn
  if (row.speedup == 0) return EntryStatus::kUnmeasured;
  return row.speedup > 1 ? EntryStatus::kWin : EntryStatus::kLose;
}

TEST(Seed, EveryRowIsThereWithEveryNumber) {
  const auto database = ConfigDatabase::open({}, true);
  for (const SeedFile& seed : kSeedFiles) {
    const auto entries = database->find(key_of(seed));
    SCOPED_TRACE(key_of(seed).relative_path());
    EXPECT_EQ(entries->entries.size(), seed.rows.size());
    EXPECT_EQ(entries->best_claimed_speedup, seed.best_claimed_speedup);
    EXPECT_NE(entries->disabled_reason.find(seed.disabled_part), std::string::npos);
    EXPECT_EQ(entries->disabled_reason.empty(), std::string(seed.disabled_part).empty());
    for (const SeedRow& row : seed.rows) {
      const Entry* entry = entry_of(*entries, row);
      ASSERT_NE(entry, nullptr) << row.label;
      expect_equal(row, *entry);
      EXPECT_EQ(entry->status, status_of(row)) << row.label;
    }
  }
  EXPECT_TRUE(database->issues().empty());
  EXPECT_EQ(database->keys().size(), std::size(kSeedFiles));
}

TEST(Seed, BestClaimIsThatOfTheRowsThatStand) {
  const auto database = ConfigDatabase::open({}, true);
  for (const SeedFile& seed : kSeedFiles) {
    double best = 0;
    for (const FoundEntry& found : database->find(key_of(seed))->entries) {
      if (found.entry.status == EntryStatus::kUnmeasured) continue;
      best = std::max(best, found.entry.claimed_speedup);
    }
    EXPECT_EQ(best, seed.best_claimed_speedup) << key_of(seed).relative_path();
  }
}

TEST(Seed, DoubtsStandInTheNotes) {
  const auto database = ConfigDatabase::open({}, true);
  const auto ws8 = database->find(key_of(kSeedFiles[0]));
  int doubted = 0;
  for (const SeedRow& row : kMi300xWs8) {
    const Entry& e = *entry_of(*ws8, row);
    EXPECT_EQ(note_has(e, "N/8"), row.speedup > 1) << row.label;
    doubted += note_has(e, "N/8") ? 1 : 0;
    const std::string label = row.label;
    const bool hangs =
        label == "g2" || label == "g6" || label == "g14" || label == "g15" || label == "g16";
    EXPECT_EQ(note_has(e, "index map hangs"), hangs) << row.label;
    const bool contradictory = label == "g6" || label == "g9";
    EXPECT_EQ(note_has(e, "Contradictory"), contradictory) << row.label;
    const bool full = row.config[0] == 256;
    EXPECT_EQ(note_has(e, "65,536 bytes of LDS exactly"), full) << row.label;
  }
  EXPECT_EQ(doubted, 7);
  const auto mi355x = database->find(key_of(kSeedFiles[3]));
  EXPECT_TRUE(note_has(*entry_of(*mi355x, kMi355xWs8[0]), "Withdrawn upstream"));
}

TEST(Seed, BrokenRowsAreExactlyThoseThatKPerFlagDoesNotDivide) {
  const auto database = ConfigDatabase::open({}, true);
  for (const DatabaseKey& key : database->keys()) {
    for (const FoundEntry& found : database->find(key)->entries) {
      const Entry& e = found.entry;
      const bool divides = (e.k / e.config.tile_k) % e.config.k_per_flag == 0;
      EXPECT_EQ(e.status == EntryStatus::kBroken, !divides) << e.label;
    }
  }
}

TEST(Seed, FilesAreInCanonicalFormAndEmbeddedByteForByte) {
  ASSERT_EQ(embedded_files().size(), std::size(kSeedFiles));
  for (const EmbeddedFile& file : embedded_files()) {
    const std::string text =
        slurp(std::string(WEFT_SOURCE_DIR) + "/configs/" + std::string(file.relative_path));
    EXPECT_TRUE(text == file.text) << file.relative_path;
    const ParsedFile parsed = parse_file(text, std::string(file.relative_path), nullptr);
    ASSERT_TRUE(parsed.file);
    EXPECT_EQ(write_file(*parsed.file), text);
    EXPECT_NE(parsed.file->source.find("MIT"), std::string::npos);
  }
}

TEST(Seed, RegressionSetRepeatsTheTables) {
  const auto set = nlohmann::json::parse(
      slurp(std::string(WEFT_SOURCE_DIR) + "/configs/regression/gfx942-304cu.json"));
  const auto database = ConfigDatabase::open({}, true);
  ASSERT_EQ(set["cases"].size(), 9u);
  EXPECT_EQ(set["threshold_percent"], 10);
  int champions = 0;
  for (const auto& wanted : set["cases"]) {
    SCOPED_TRACE(wanted["name"].get<std::string>());
    SeedFile seed = kSeedFiles[0];
    seed.world_size = wanted["world_size"];
    const SeedRow shape{"", wanted["m"], wanted["n"], wanted["k"], {}, 0, 0, 0};
    const auto entries = database->find(key_of(seed));
    const Entry* entry = entry_of(*entries, shape);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->claimed_speedup, wanted["expected_speedup"].get<double>());
    EXPECT_EQ(wanted["name"].get<std::string>().substr(0, entry->label.size()), entry->label);
    const bool champion = wanted["tier"] == "champion";
    EXPECT_EQ(entry->status == EntryStatus::kWin, champion);
    EXPECT_EQ(champion ? entry->claimed_tflops : 0, wanted.value("expected_tflops", 0.0));
    champions += champion ? 1 : 0;
  }
  EXPECT_EQ(champions, 7);
}

}  // namespace
}  // namespace weft::config
