// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "config/samples.hpp"
#include "weft/database.hpp"

namespace weft::config {
namespace {

namespace fs = std::filesystem;

class Database : public testing::Test {
 protected:
  fs::path path_in(const fs::path& root) { return root / sample_key().relative_path(); }
  void write(const fs::path& root, const DatabaseFile& file) {
    spill(path_in(root), write_file(file));
  }
  static DatabaseFile file_with(std::vector<Entry> entries) {
    DatabaseFile file = sample_file();
    file.entries = std::move(entries);
    return file;
  }
  TemporaryFolder high_, low_;
};

TEST_F(Database, LayersAreMergedShapeByShape) {
  Entry upper = measured_entry();
  upper.label = "upper";
  Entry lower = measured_entry();
  lower.label = "lower";
  write(high_.path(), file_with({upper}));
  DatabaseFile below = file_with({lower, measured_entry(1024, 1024, 1024)});
  below.best_claimed_speedup = 1.5;
  below.disabled_reason = "one peer only";
  write(low_.path(), below);
  const auto database = ConfigDatabase::open({high_.path(), low_.path()}, false);
  const auto found = database->find(sample_key());
  ASSERT_EQ(found->entries.size(), 2u);
  EXPECT_EQ(found->entries[0].entry.m, 1024);
  EXPECT_EQ(found->entries[0].layer, "path:" + low_.path().string());
  EXPECT_EQ(found->entries[0].file, path_in(low_.path()).string());
  EXPECT_EQ(found->entries[1].entry.label, "upper");
  EXPECT_EQ(found->entries[1].layer, "path:" + high_.path().string());
  EXPECT_EQ(found->entries[1].environment, sample_environment());
  EXPECT_EQ(found->best_claimed_speedup, 1.5);
  EXPECT_EQ(found->disabled_reason, "one peer only");
  EXPECT_TRUE(database->issues().empty());
}

TEST_F(Database, SkippedUpperEntryLetsTheLowerOneThrough) {
  nlohmann::json upper = nlohmann::json::parse(write_file(file_with({measured_entry()})));
  upper["entries"][0]["pairs"] = 3;
  spill(path_in(high_.path()), upper.dump());
  write(low_.path(), file_with({measured_entry()}));
  const auto database = ConfigDatabase::open({high_.path(), low_.path()}, false);
  const auto found = database->find(sample_key());
  ASSERT_EQ(found->entries.size(), 1u);
  EXPECT_EQ(found->entries[0].layer, "path:" + low_.path().string());
  ASSERT_EQ(database->issues().size(), 1u);
  EXPECT_EQ(database->issues()[0].file, path_in(high_.path()).string());
}

TEST_F(Database, MissingIsRememberedUntilReload) {
  const auto database = ConfigDatabase::open({high_.path()}, false);
  EXPECT_TRUE(database->find(sample_key())->entries.empty());
  write(high_.path(), sample_file());
  EXPECT_TRUE(database->find(sample_key())->entries.empty());
  const std::uint64_t before = database->generation();
  database->reload();
  EXPECT_EQ(database->generation(), before + 1);
  EXPECT_EQ(database->find(sample_key())->entries.size(), 2u);
}

TEST_F(Database, FoundIsKeptUntilReloadAndOldPointersStayValid) {
  write(high_.path(), sample_file());
  const auto database = ConfigDatabase::open({high_.path()}, false);
  const auto first = database->find(sample_key());
  EXPECT_EQ(database->find(sample_key()), first);
  fs::remove(path_in(high_.path()));
  EXPECT_EQ(database->find(sample_key()), first);
  database->reload();
  EXPECT_TRUE(database->find(sample_key())->entries.empty());
  EXPECT_EQ(first->entries.size(), 2u);
}

TEST_F(Database, BadContentsGiveOneIssueAndNoException) {
  spill(path_in(high_.path()), "{\"schema\": 1,");
  const auto database = ConfigDatabase::open({high_.path()}, false);
  EXPECT_TRUE(database->find(sample_key())->entries.empty());
  database->find(sample_key());
  ASSERT_EQ(database->issues().size(), 1u);
  EXPECT_EQ(database->issues()[0].place, "line 1, column 14");
  database->reload();
  EXPECT_TRUE(database->issues().empty());
}

TEST_F(Database, ThingsThatAreNoFilesAreSkipped) {
  fs::create_directories(path_in(high_.path()));  // a folder in the file's place
  fs::create_directories(path_in(low_.path()).parent_path());
  ASSERT_EQ(::mkfifo(path_in(low_.path()).c_str(), 0600), 0);  // must not block
  const auto database = ConfigDatabase::open({high_.path(), low_.path()}, false);
  EXPECT_TRUE(database->find(sample_key())->entries.empty());
  ASSERT_EQ(database->issues().size(), 2u);
  for (const DatabaseIssue& issue : database->issues()) {
    EXPECT_NE(issue.rule.find("not a regular file"), std::string::npos) << issue.rule;
  }
}

TEST_F(Database, HugeFilesAreNotRead) {
  write(high_.path(), sample_file());
  fs::resize_file(path_in(high_.path()), std::uintmax_t{1} << 40);  // sparse
  const auto database = ConfigDatabase::open({high_.path()}, false);
  EXPECT_TRUE(database->find(sample_key())->entries.empty());
  ASSERT_EQ(database->issues().size(), 1u);
  EXPECT_NE(database->issues()[0].rule.find("must stay under 16777216"), std::string::npos);
}

TEST_F(Database, KeysThatAreNoFileNamesFindNothing) {
  spill(high_.path() / "secret.json", write_file(sample_file()));
  const auto database = ConfigDatabase::open({high_.path()}, false);
  DatabaseKey key = sample_key();
  key.device = "../..";
  EXPECT_TRUE(database->find(key)->entries.empty());
  EXPECT_TRUE(database->issues().empty());
}

TEST_F(Database, KeysListsEveryLayerOnce) {
  write(high_.path(), sample_file());
  write(low_.path(), sample_file());
  spill(high_.path() / "ag_mm/cpu_avx2-6.143-t1/notes.json", "{}");
  spill(path_in(high_.path()).string() + ".lock", "");
  EXPECT_EQ(ConfigDatabase::open({high_.path(), low_.path()}, false)->keys(),
            std::vector<DatabaseKey>{sample_key()});
  const auto all = ConfigDatabase::open({high_.path()}, true)->keys();
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(all.front(), sample_key());
  EXPECT_TRUE(ConfigDatabase::open({high_.path() / "absent"}, false)->keys().empty());
}

TEST_F(Database, DigestChangesWithAnyByte) {
  const auto empty = ConfigDatabase::open({high_.path()}, true);
  const std::string shipped = empty->digest();
  EXPECT_EQ(shipped.size(), 32u);
  EXPECT_EQ(ConfigDatabase::open({low_.path()}, true)->digest(), shipped);
  write(high_.path(), sample_file());
  EXPECT_EQ(empty->digest(), shipped) << "cached until reload";
  empty->reload();
  const std::string with_file = empty->digest();
  EXPECT_NE(with_file, shipped);
  DatabaseFile other = sample_file();
  other.entries[0].speedup += 0.0001;
  write(high_.path(), other);
  empty->reload();
  EXPECT_NE(empty->digest(), with_file);
}

TEST_F(Database, ThreadsShareOneAnswer) {
  write(high_.path(), sample_file());
  const auto database = ConfigDatabase::open({high_.path()}, true);
  std::vector<std::thread> threads;
  std::vector<std::size_t> smallest(4, 100);
  for (std::size_t t = 0; t < smallest.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        if (t == 0 && i % 20 == 0) database->reload();
        smallest[t] = std::min(smallest[t], database->find(sample_key())->entries.size());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t size : smallest) EXPECT_EQ(size, 2u);
}

// Sets environment variables and puts the old ones back.
class DefaultLayers : public Database {
 protected:
  void set(const char* name, const std::string& value) {
    const char* old = std::getenv(name);
    saved_.emplace_back(name, old == nullptr ? "" : old);
    ::setenv(name, value.c_str(), 1);
  }
  void TearDown() override {
    for (auto it = saved_.rbegin(); it != saved_.rend(); ++it) {
      if (it->second.empty()) {
        ::unsetenv(it->first.c_str());
      } else {
        ::setenv(it->first.c_str(), it->second.c_str(), 1);
      }
    }
  }

 private:
  std::vector<std::pair<std::string, std::string>> saved_;
};

TEST_F(DefaultLayers, ComeInOrder) {
  TemporaryFolder user, site;
  set("WEFT_DB_PATH", high_.path().string() + ":" + low_.path().string());
  set("XDG_DATA_HOME", user.path().string());
  set("XDG_DATA_DIRS", site.path().string());
  EXPECT_EQ(user_database_root(), user.path() / "weft/v1");
  const fs::path roots[] = {high_.path(), low_.path(), user.path() / "weft/v1",
                            site.path() / "weft/v1"};
  const std::string layers[] = {"path:" + high_.path().string(), "path:" + low_.path().string(),
                                "user", "site:" + site.path().string()};
  for (const fs::path& root : roots) write(root, sample_file());
  for (std::size_t i = 0; i < std::size(roots); ++i) {
    const auto found = ConfigDatabase::open_default()->find(sample_key());
    ASSERT_FALSE(found->entries.empty());
    EXPECT_EQ(found->entries[0].layer, layers[i]);
    fs::remove(path_in(roots[i]));
  }
  DatabaseKey shipped = sample_key();
  shipped.device = "gfx942-304cu";
  shipped.dtype = DType::kF16;
  shipped.shard_dim = ShardDim::kK;
  shipped.world_size = 8;
  shipped.link = "xgmi";
  const auto found = ConfigDatabase::open_default()->find(shipped);
  ASSERT_FALSE(found->entries.empty());
  EXPECT_EQ(found->entries[0].layer, "shipped");
  EXPECT_EQ(found->entries[0].file, "embedded:ag_mm/gfx942-304cu/f16_nn_k_ws8_xgmi.json");
}

TEST_F(DefaultLayers, RelativePathsAreIgnoredWithAMessage) {
  set("WEFT_DB_PATH", "some/where:" + high_.path().string());
  set("XDG_DATA_HOME", "home");
  set("HOME", low_.path().string());
  EXPECT_EQ(user_database_root(), low_.path() / ".local/share/weft/v1");
  write(high_.path(), sample_file());
  const auto database = ConfigDatabase::open_default();
  EXPECT_EQ(database->find(sample_key())->entries.size(), 2u);
  const auto issues = database->issues();
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_EQ(issues[0].file, "some/where");
  EXPECT_EQ(issues[0].place, "WEFT_DB_PATH");
  EXPECT_NE(issues[0].rule.find("T011"), std::string::npos);
  EXPECT_EQ(issues[1].place, "XDG_DATA_HOME");
}

}  // namespace
}  // namespace weft::config
