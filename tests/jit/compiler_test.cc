// SPDX-License-Identifier: Apache-2.0
// Compiling needs NVRTC but no GPU; without NVRTC these tests are skipped, visibly.
#include "jit/compiler.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "core/message.hpp"
#include "support/temporary_folder.hpp"

namespace weft::jit {
namespace {

using cuda::Traits;

class CompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    const NvrtcState nvrtc = nvrtc_state();
    if (!nvrtc.available) GTEST_SKIP() << nvrtc.reason;
  }
  test::TemporaryFolder folder_;
  Compiler compiler_{folder_.path()};
};

std::vector<Traits> all_instances() {
  std::vector<Traits> all;
  for (const bool a_t : {false, true}) {
    for (const bool b_t : {false, true}) {
      for (const bool f16 : {false, true}) {
        for (const Traits& shape : {Traits{.tile_n = 256, .num_stages = 4, .cluster_m = 2},
                                    Traits{.tile_n = 256, .num_stages = 3, .cluster_m = 1},
                                    Traits{.tile_n = 128, .num_stages = 6, .cluster_m = 2},
                                    Traits{.tile_n = 128, .num_stages = 4, .cluster_m = 1}}) {
          Traits t = shape;
          t.a_t = a_t;
          t.b_t = b_t;
          t.f16 = f16;
          t.bias = f16 != a_t;  // each shape with and without
          all.push_back(t);
        }
      }
    }
  }
  return all;
}

TEST_F(CompilerTest, EveryInstanceCompilesWithoutSpillsAndWithoutSerialisedProducts) {
  for (const Traits& t : all_instances()) {
    const Compiled compiled = compiler_.compile(t);
    const KernelReport report = parse_report(compiled.object.log);
    const std::string which = fmt::format("tile_n {} stages {} cluster {} a_t {} b_t {} f16 {}",
                                          t.tile_n, t.num_stages, t.cluster_m, t.a_t, t.b_t, t.f16);
    EXPECT_EQ(report.spill_bytes, 0) << which << "\n" << compiled.object.log;
    EXPECT_FALSE(report.wgmma_serialized) << which << "\n" << compiled.object.log;
    // The register file: 65,536 words for the threads at entry.
    EXPECT_LE(report.registers * cuda::kNumThreads, 65'536) << which;
    EXPECT_FALSE(compiled.object.cubin.empty());
  }
}

TEST_F(CompilerTest, SecondTimeComesFromTheCacheAndADamagedEntryIsReplaced) {
  const Traits traits;
  const Compiled first = compiler_.compile(traits);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(compiler_.compile(traits).from_cache);
  const auto path = compiler_.cache().path(Compiler::key(traits));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const Compiled again = compiler_.compile(traits);
  EXPECT_FALSE(again.from_cache);
  EXPECT_EQ(again.object.cubin, first.object.cubin);
  EXPECT_TRUE(compiler_.compile(traits).from_cache);
}

TEST_F(CompilerTest, ThreadsThatCompileTheSameKeyAgree) {
  std::vector<std::string> cubins(4);
  std::vector<std::thread> threads;
  for (std::string& cubin : cubins) {
    threads.emplace_back([&] { cubin = compiler_.compile(Traits{}).object.cubin; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& cubin : cubins) EXPECT_EQ(cubin, cubins[0]);
}

TEST_F(CompilerTest, EveryFieldIsPartOfTheKey) {
  std::vector<std::string> keys;
  for (const Traits& t : all_instances()) keys.push_back(Compiler::key(t));
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST_F(CompilerTest, CacheThatCannotBeWrittenCostsNothingButANotice) {
  std::ofstream(folder_.path() / "file") << "in the way";
  const Compiler compiler(folder_.path() / "file");
  EXPECT_FALSE(compiler.compile(Traits{}).object.cubin.empty());
}

TEST(Compiler, RefusesTraitsWithValuesAndRule) {
  const test::TemporaryFolder folder;
  const Compiler compiler(folder.path());
  const auto message = [&](const Traits& traits) -> std::string {
    try {
      compiler.compile(traits);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return error.what();
    }
    return "compiled";
  };
  EXPECT_EQ(message({.tile_n = 96}), "tile_n=96 must be 128 or 256");
  EXPECT_EQ(message({.cluster_m = 4}), "cluster_m=4 must be 1 or 2");
  EXPECT_EQ(message({.num_stages = 1}), "num_stages=1 must be 2 to 12");
  EXPECT_EQ(message({.tile_n = 256, .num_stages = 5}),
            "num_stages=5 with tile_n=256 needs 280064 bytes of shared memory of 232448");
}

TEST(KernelReport, ReadsWhatPtxasSays) {
  const KernelReport report = parse_report(
      "ptxas info    : 0 bytes gmem\n"
      "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 2 barriers\n"
      "wgmma.mma_async instructions are serialized due to ...\n");
  EXPECT_EQ(report.registers, 168);
  EXPECT_EQ(report.spill_bytes, 28);
  EXPECT_TRUE(report.wgmma_serialized);
  EXPECT_THROW(parse_report("nothing"), Error);
}

}  // namespace
}  // namespace weft::jit
