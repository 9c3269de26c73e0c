// SPDX-License-Identifier: Apache-2.0
#include "config/key.hpp"

#include <gtest/gtest.h>

#include <string>
#include <unordered_set>

#include "weft/error.hpp"

namespace weft::config {
namespace {

DatabaseKey key_of(DType dtype, ShardDim shard_dim, std::int32_t world_size, const char* link) {
  DatabaseKey key;
  key.device = "gfx942-304cu";
  key.dtype = dtype;
  key.shard_dim = shard_dim;
  key.world_size = world_size;
  key.link = link;
  return key;
}

TEST(DatabaseKey, PathIsTheContract) {
  EXPECT_EQ(key_of(DType::kF16, ShardDim::kK, 8, "xgmi").relative_path(),
            "ag_mm/gfx942-304cu/f16_nn_k_ws8_xgmi.json");
}

TEST(DatabaseKey, PathRoundTripsForEveryWord) {
  std::unordered_set<std::size_t> hashes;
  std::size_t count = 0;
  for (const DType dtype : {DType::kF32, DType::kBf16, DType::kF16, DType::kFp8E4m3}) {
    for (const ShardDim shard_dim : {ShardDim::kM, ShardDim::kK}) {
      for (const char* link : {"shm", "device", "host", "pcie", "nvlink", "xgmi", "net",
                               "emulated:50", "emulated:0.5", "emulated:12.25"}) {
        for (const std::int32_t world_size : {1, 2, 16}) {
          const DatabaseKey key = key_of(dtype, shard_dim, world_size, link);
          const auto parsed = parse_relative_path(key.relative_path());
          ASSERT_TRUE(parsed) << key.relative_path();
          EXPECT_EQ(*parsed, key) << key.relative_path();
          hashes.insert(KeyHash{}(key));
          ++count;
        }
      }
    }
  }
  EXPECT_EQ(hashes.size(), count);
}

TEST(DatabaseKey, OtherPathsAreNoKeys) {
  for (const char* path : {"",
                           "x",
                           "ag_mm/f16_nn_k_ws8_xgmi.json",
                           "ag_mm/gfx942/f16_nn_k_ws8_xgmi",
                           "gemm/gfx942/f16_nn_k_ws8_xgmi.json",
                           "ag_mm/gfx942/f16_nn_k_ws08_xgmi.json",
                           "ag_mm/gfx942/f16_nn_k_ws+8_xgmi.json",
                           "ag_mm/gfx942/f16_nn_k_ws0_xgmi.json",
                           "ag_mm/gfx942/f16_nn_k_8_xgmi.json",
                           "ag_mm/gfx942/f64_nn_k_ws8_xgmi.json",
                           "ag_mm/gfx942/f16_nn_n_ws8_xgmi.json",
                           "ag_mm/gfx942/f16_nn_k_ws8_wire.json",
                           "ag_mm/gfx942/f16_nn_k_ws8_emulated:.json",
                           "ag_mm/gfx942/f16_nn_k_ws8_emulated:0.json",
                           "ag_mm/gfx942/f16_nn_k_ws8_emulated:050.json",
                           "ag_mm/../f16_nn_k_ws8_xgmi.json",
                           "ag_mm/gfx942/a/f16_nn_k_ws8_xgmi.json",
                           "ag_mm/GFX942/f16_nn_k_ws8_xgmi.json",
                           "ag_mm/gfx942/f16_nn_k_ws99999999999_xgmi.json",
                           "ag_mm/gfx942/.json",
                           "ag_mm/gfx942/f16_nn_k_ws8_xgmi.json.tmp-1-0",
                           "ag_mm/gfx942/fp8_e4m3.json"}) {
    EXPECT_FALSE(parse_relative_path(path)) << path;
  }
}

TEST(DatabaseKey, LinkMessageNamesTheLegalWords) {
  try {
    check_link("wire");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("link is 'wire'; use one of shm"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("emulated:<GB/s>"), std::string::npos) << e.what();
  }
}

TEST(DatabaseKey, IsTakenFromTheProblem) {
  Problem problem;
  problem.m = 64;
  problem.n = 64;
  problem.k = 64;
  problem.world_size = 4;
  problem.shard_dim = ShardDim::kM;
  problem.dtype = DType::kBf16;
  problem.layout = Layout::kTN;
  Arch arch;
  arch.key = "gfx942";
  arch.units = 304;
  EXPECT_EQ(database_key(problem, arch, "xgmi").relative_path(),
            "ag_mm/gfx942-304cu/bf16_tn_m_ws4_xgmi.json");
}

}  // namespace
}  // namespace weft::config
