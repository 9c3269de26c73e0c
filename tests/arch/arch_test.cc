// SPDX-License-Identifier: Apache-2.0
#include "weft/arch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "arch/detect.hpp"
#include "arch/limits.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

TEST(ParseArch, ReadsEveryDeviceThatItPrints) {
  for (const char* text :
       {"gfx942-304cu", "gfx942-228cu", "gfx950-256cu", "sm_90-132sm", "sm_80-108sm",
        "cpu_avx512-6.143-t16", "cpu_avx2-25.1-t1", "cpu_generic-0.0-t2"}) {
    const Arch arch = parse_arch(text);
    EXPECT_TRUE(arch.known()) << text;
    EXPECT_EQ(arch.device(), text);
  }
}

TEST(ParseArch, MarketNamesAndBareKeysGetTheUnitsOfTheOnlyDeviceKnown) {
  EXPECT_EQ(parse_arch("mi300x").device(), "gfx942-304cu");
  EXPECT_EQ(parse_arch("MI325X").device(), "gfx942-304cu");
  EXPECT_EQ(parse_arch("mi355x").device(), "gfx950-256cu");
  EXPECT_EQ(parse_arch("h200").device(), "sm_90-132sm");
  EXPECT_EQ(parse_arch("h100-pcie").device(), "sm_90-114sm");
  EXPECT_EQ(parse_arch("gfx942").device(), "gfx942-304cu");
  EXPECT_EQ(parse_arch("gfx950").device(), "gfx950-256cu");
  EXPECT_EQ(parse_arch("sm_90").device(), "sm_90-132sm");
}

TEST(ParseArch, UnknownWordsStayUnknown) {
  for (const char* text :
       {"", "quantum", "gfx", "gfx942-", "gfx942-cu", "gfx942-0cu", "gfx942-4sm",
        "gfx942-99999999999cu", "gfx1100", "sm_", "sm_90-132", "sm_90a", "cpu_sse-6.1-t1",
        "cpu_avx2-25.1", "cpu_avx2-25-t1", "cpu_avx2-25.1-t0", "cpu_avx2-a.b-t1", "mi300"}) {
    const Arch arch = parse_arch(text);
    EXPECT_FALSE(arch.known()) << text;
    EXPECT_EQ(arch.device(), "unknown") << text;
    EXPECT_EQ(arch.name, text);
  }
}

TEST(ParseArch, RefusesWordsThatNameSeveralDevices) {
  try {
    (void)parse_arch("h100");
    FAIL() << "h100 must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("sm_90-132sm, sm_90-114sm"), std::string::npos);
  }
  EXPECT_THROW((void)parse_arch("cpu_avx2"), Error);
}

TEST(DefaultLink, FollowsTheArch) {
  EXPECT_EQ(default_link(parse_arch("cpu_avx2-25.1-t1")), "shm");
  EXPECT_EQ(default_link(parse_arch("h200")), "nvlink");
  EXPECT_EQ(default_link(parse_arch("mi300x")), "xgmi");
  EXPECT_EQ(default_link(parse_arch("mi355x")), "xgmi");
  EXPECT_EQ(default_link(parse_arch("sm_80-108sm")), "pcie");
}

TEST(DetectCpu, GivesAKnownDeviceThatParsesBack) {
  const Arch arch = detect_cpu(3);
  EXPECT_TRUE(arch.is_cpu());
  EXPECT_EQ(arch.units, 3);
  EXPECT_FALSE(arch.name.empty());
  EXPECT_NE(arch::find_limits(arch.key), nullptr);
  EXPECT_EQ(parse_arch(arch.device()).device(), arch.device());
}

TEST(DetectCpu, DecodesFamilyAndModel) {
  EXPECT_EQ(arch::family_and_model(0x00A00F11), "25.1");   // AMD family 19h, model 01h
  EXPECT_EQ(arch::family_and_model(0x000806F8), "6.143");  // Intel family 6, model 8Fh
  EXPECT_EQ(arch::family_and_model(0x00000F4A), "15.4");   // no extended fields set
  EXPECT_EQ(arch::family_and_model(0x00010520), "5.2");    // extended model means nothing here
}

TEST(DetectCuda, ReadsTheFirstDeviceOfADriverLibrary) {
  const Arch arch = arch::detect_cuda(WEFT_FAKE_CUDA);
  EXPECT_EQ(arch.device(), "sm_90-132sm");
  EXPECT_EQ(arch.name, "Pretend GPU");
}

TEST(DetectCuda, NoDriverOrAForeignLibraryIsUnknown) {
  EXPECT_FALSE(arch::detect_cuda("libweft-no-such-driver.so.1").known());
  EXPECT_FALSE(arch::detect_cuda("libc.so.6").known());
}

class Kfd : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) /
            ("kfd_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
    fs::create_directories(root_ / "nodes");
  }
  void TearDown() override { fs::remove_all(root_); }
  void add_node(const std::string& name, const std::string& properties) const {
    fs::create_directories(root_ / "nodes" / name);
    std::ofstream(root_ / "nodes" / name / "properties") << properties;
  }
  fs::path root_;
};

TEST_F(Kfd, TakesTheLowestNumberedGpuAndSkipsCpus) {
  add_node("0", "cpu_cores_count 96\nsimd_count 0\nsimd_per_cu 0\ngfx_target_version 0\n");
  add_node("10", "simd_count 1024\nsimd_per_cu 4\ngfx_target_version 90500\n");
  add_node("2",
           "simd_count 1216\nsimd_per_cu 4\ngfx_target_version 90402\n"
           "unique_id 18446744073709551615\n");
  EXPECT_EQ(arch::detect_kfd(root_).device(), "gfx942-304cu");
}

TEST_F(Kfd, ADamagedTopologyIsUnknown) {
  EXPECT_FALSE(arch::detect_kfd(root_ / "absent").known());
  add_node("1", "simd_count\n");
  add_node("two", "simd_count 1216\nsimd_per_cu 4\ngfx_target_version 90402\n");
  EXPECT_FALSE(arch::detect_kfd(root_).known());
}

TEST_F(Kfd, AChipWithoutAKernelKeepsItsOwnKey) {
  add_node("1", "simd_count 440\nsimd_per_cu 4\ngfx_target_version 90010\n");
  const Arch arch = arch::detect_kfd(root_);
  EXPECT_EQ(arch.device(), "gfx90a-110cu");
  EXPECT_EQ(arch::find_limits(arch.key), nullptr);
}

TEST(ArchFromEnvironment, SimulatesAChip) {
  unsetenv("WEFT_ARCH");
  EXPECT_FALSE(arch_from_environment().has_value());
  setenv("WEFT_ARCH", "gfx942", 1);
  EXPECT_EQ(arch_from_environment()->device(), "gfx942-304cu");
  setenv("WEFT_ARCH", "quantum", 1);
  EXPECT_FALSE(arch_from_environment()->known());
  setenv("WEFT_ARCH", "h100", 1);
  try {
    (void)arch_from_environment();
    FAIL() << "WEFT_ARCH=h100 must be refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("WEFT_ARCH"), std::string::npos);
  }
  unsetenv("WEFT_ARCH");
}

}  // namespace
}  // namespace weft
