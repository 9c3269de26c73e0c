// SPDX-License-Identifier: Apache-2.0
#include "jit/kernel_cache.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "support/temporary_folder.hpp"
#include "weft/error.hpp"

namespace weft::jit {
namespace {

const Object kObject{std::string("machine\0code\n", 13), "Used 168 registers\n"};

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void overwrite(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(KernelCache, ReturnsWhatWasStored) {
  const test::TemporaryFolder folder;
  const KernelCache cache(folder.path() / "below" / "kernels");
  EXPECT_FALSE(cache.load("key"));
  cache.store("key", kObject);
  const auto found = cache.load("key");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cubin, kObject.cubin);
  EXPECT_EQ(found->log, kObject.log);
  EXPECT_FALSE(cache.load("other"));
}

TEST(KernelCache, TakesADamagedFileForAbsentAndReplacesIt) {
  const test::TemporaryFolder folder;
  const KernelCache cache(folder.path());
  cache.store("key", kObject);
  const std::string whole = bytes_of(cache.path("key"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    overwrite(cache.path("key"), whole.substr(0, size));
    EXPECT_FALSE(cache.load("key")) << "cut to " << size << " bytes";
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x40);
    overwrite(cache.path("key"), flipped);
    const auto found = cache.load("key");
    if (found) {
      EXPECT_EQ(found->cubin + found->log, kObject.cubin + kObject.log) << "byte " << i;
    }
  }
  overwrite(cache.path("key"), whole + "more");
  EXPECT_FALSE(cache.load("key"));
  cache.store("key", kObject);
  EXPECT_TRUE(cache.load("key"));
}

TEST(KernelCache, ManyWritersLeaveOneWholeFile) {
  const test::TemporaryFolder folder;
  const KernelCache cache(folder.path());
  const Object large{std::string(100'000, 'x'), std::string(1'000, 'y')};
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      for (int round = 0; round < 8; ++round) cache.store("key", large);
    });
  }
  for (int i = 0; i < 100; ++i) {
    const auto found = cache.load("key");
    if (found) {
      EXPECT_EQ(found->cubin.size(), large.cubin.size());
    }
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_TRUE(cache.load("key"));
}

TEST(KernelCache, FolderThatCannotBeMadeNamesTheRemedy) {
  const test::TemporaryFolder folder;
  overwrite(folder.path() / "file", "in the way");
  const KernelCache cache(folder.path() / "file" / "kernels");
  try {
    cache.store("key", kObject);
    FAIL() << "stored below a file";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDeviceError);
    EXPECT_NE(std::string(error.what()).find("WEFT_CACHE_DIR"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weft::jit
