// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>

#include "config/file_lock.hpp"
#include "config/samples.hpp"
#include "weft/error.hpp"

namespace weft::config {
namespace {

namespace fs = std::filesystem;

class Merge : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / sample_key().relative_path(); }
  void merge(const std::vector<Entry>& entries) const {
    merge_entries(folder_.path(), sample_key(), entries, sample_environment(), "weft bench");
  }
  DatabaseFile read() const {
    const DatabaseKey key = sample_key();
    const ParsedFile parsed = parse_file(slurp(path()), path().string(), &key);
    EXPECT_TRUE(parsed.issues.empty());
    return parsed.file.value_or(DatabaseFile{});
  }
  // Files in the key's folder; a failed merge must not leave any behind.
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& file : fs::directory_iterator(path().parent_path())) ++count;
    return count;
  }
  void expect_refused(ErrorCode code, const std::string& part, const std::vector<Entry>& entries) {
    try {
      merge(entries);
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("nothing was changed"), std::string::npos) << e.what();
    }
  }
  TemporaryFolder folder_;
};

TEST_F(Merge, WritesWhatTheDatabaseFinds) {
  merge({measured_entry()});
  const auto database = ConfigDatabase::open({folder_.path()}, false);
  const auto found = database->find(sample_key());
  ASSERT_EQ(found->entries.size(), 1u);
  EXPECT_EQ(found->entries[0].entry, measured_entry());
  EXPECT_EQ(found->entries[0].environment, sample_environment());
  EXPECT_EQ(read().command, "weft bench");
}

TEST_F(Merge, NewerStampWinsAndOtherShapesStay) {
  Entry first = measured_entry();
  merge({first, measured_entry(64, 64, 64)});
  Entry older = first;
  older.tuned_at = "2025-12-31T23:59:59Z";
  older.label = "older";
  merge({older});
  EXPECT_EQ(read().entries[1], first);
  Entry newer = first;
  newer.tuned_at = "2026-02-01T00:00:00Z";
  newer.label = "newer";
  merge({newer});
  ASSERT_EQ(read().entries.size(), 2u);
  EXPECT_EQ(read().entries[1].label, "newer");
}

TEST_F(Merge, EnvironmentsLiveAsLongAsTheirEntries) {
  merge({measured_entry()});
  Environment later = sample_environment();
  later.compiler = "GNU 13.1.0";
  Entry again = measured_entry();
  again.tuned_at = "2027-01-01T00:00:00Z";
  merge_entries(folder_.path(), sample_key(), {again}, later, "");
  ASSERT_EQ(read().environments.size(), 1u);
  EXPECT_EQ(read().environments.begin()->second, later);
}

TEST_F(Merge, OrderOfMergesDoesNotChangeTheBytes) {
  merge({measured_entry(64, 64, 64)});
  merge({measured_entry(128, 64, 64)});
  const std::string one = slurp(path());
  fs::remove(path());
  merge({measured_entry(128, 64, 64)});
  merge({measured_entry(64, 64, 64)});
  EXPECT_EQ(slurp(path()), one);
}

TEST_F(Merge, IllegalEntryIsRefusedBeforeAnythingIsWritten) {
  Entry bad = measured_entry();
  bad.pairs = 5;
  expect_refused(ErrorCode::kInvalidArgument, "entry 8192x128x4096: pairs=5", {bad});
  EXPECT_FALSE(fs::exists(path().parent_path()));
}

TEST_F(Merge, DamagedFileIsNotOverwritten) {
  const std::string damaged = "{\"schema\": 2, \"precious\": true}";
  spill(path(), damaged);
  expect_refused(ErrorCode::kInvalidArgument, "T005", {measured_entry()});
  EXPECT_EQ(slurp(path()), damaged);
}

TEST_F(Merge, TwoProcessesLoseNothing) {
  constexpr int kEach = 200;
  std::vector<pid_t> children;
  for (int child = 0; child < 2; ++child) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      int status = 0;
      try {
        for (int i = 0; i < kEach; ++i) merge({measured_entry(2 + 2 * i, 64, 64 + child)});
      } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        status = 1;
      }
      ::_exit(status);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(read().entries.size(), 2u * kEach);
  EXPECT_EQ(files(), 3u) << "the file, its lock and the queue for it";
}

TEST_F(Merge, FullDiskLeavesTheOldFile) {
  merge({measured_entry()});
  const std::string before = slurp(path());
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlim_t old = limit.rlim_cur;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  limit.rlim_cur = 600;  // less than one entry: the write stops in the middle
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::string message;
  ErrorCode code{};
  try {
    merge({measured_entry(64, 64, 64)});
  } catch (const Error& e) {
    message = e.what();
    code = e.code();
  }
  limit.rlim_cur = old;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(code, ErrorCode::kDeviceError);
  EXPECT_NE(message.find("cannot write " + path().string()), std::string::npos) << message;
  EXPECT_NE(message.find("free space"), std::string::npos) << message;
  EXPECT_EQ(slurp(path()), before);
  EXPECT_EQ(files(), 3u);
}

TEST_F(Merge, FolderThatCannotBeMadeIsNamed) {
  spill(folder_.path() / "ag_mm", "a file where the folder should be");
  expect_refused(ErrorCode::kDeviceError, (folder_.path() / "ag_mm").string(), {measured_entry()});
}

TEST_F(Merge, UnwritableFolderLeavesTheOldFile) {
  merge({measured_entry()});
  const std::string before = slurp(path());
  // In a child that is no superuser, since permissions do not bind one.
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    fs::permissions(folder_.path(),
                    fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
    for (const char* lock : {".lock", ".lock.next"}) {
      fs::permissions(path().string() + lock, fs::perms::all);
    }
    fs::permissions(path().parent_path(), fs::perms::owner_read | fs::perms::owner_exec |
                                              fs::perms::others_read | fs::perms::others_exec);
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(3);
    try {
      merge({measured_entry(64, 64, 64)});
    } catch (const Error& e) {
      const bool told = std::string(e.what()).find("permissions") != std::string::npos;
      ::_exit(e.code() == ErrorCode::kDeviceError && told ? 0 : 2);
    }
    ::_exit(1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  fs::permissions(path().parent_path(), fs::perms::owner_all);
  EXPECT_EQ(slurp(path()), before);
}

TEST_F(Merge, WaitForTheLockIsBounded) {
  const fs::path lock = folder_.path() / "x.lock";
  const FileLock held(lock);
  const auto start = std::chrono::steady_clock::now();
  try {
    const FileLock second(lock, std::chrono::milliseconds(50));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kDeviceError);
    EXPECT_NE(std::string(e.what()).find("held " + lock.string() + " for 50 ms"), std::string::npos)
        << e.what();
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(50));
}

TEST_F(Merge, LockIsFreeAgainAfterItsHolder) {
  const fs::path lock = folder_.path() / "x.lock";
  { const FileLock first(lock); }
  EXPECT_NO_THROW(FileLock(lock, std::chrono::milliseconds(0)));
}

}  // namespace
}  // namespace weft::config
