// SPDX-License-Identifier: Apache-2.0
#include "weft/problem.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "weft/error.hpp"

namespace weft {
namespace {

Problem legal() { return {.m = 64, .n = 32, .k = 128, .world_size = 4}; }

std::string refusal(const Problem& problem) {
  try {
    check_problem(problem);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

TEST(Problem, AcceptsRaggedSizes) {
  Problem problem = legal();
  problem.m = 1;
  problem.n = 7;
  EXPECT_EQ(refusal(problem), "");
}

TEST(Problem, NamesTheSizeThatIsNotPositive) {
  Problem problem = legal();
  problem.n = -3;
  EXPECT_EQ(refusal(problem), "N=-3 must be at least 1");
  problem.n = 0;
  EXPECT_EQ(refusal(problem), "N=0 must be at least 1");
}

TEST(Problem, NamesThePaddedExtent) {
  Problem problem = legal();
  problem.shard_dim = ShardDim::kM;
  problem.m = 65;
  EXPECT_EQ(refusal(problem), "M=65 is not a multiple of world_size=4 (shard_dim m); pad M to 68");
  problem = legal();
  problem.k = 126;
  EXPECT_EQ(refusal(problem),
            "K=126 is not a multiple of world_size=4 (shard_dim k); pad K to 128");
}

TEST(Problem, RefusesByteCountsThatOverflow) {
  Problem problem = legal();
  problem.m = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(refusal(problem).find("overflows"), std::string::npos);
}

TEST(Problem, RefusesWorldSizeOutOfRange) {
  Problem problem = legal();
  problem.world_size = 0;
  EXPECT_NE(refusal(problem).find("world_size=0"), std::string::npos);
}

TEST(Problem, WordsGoBothWays) {
  for (const DType d : {DType::kF32, DType::kBf16, DType::kF16, DType::kFp8E4m3}) {
    EXPECT_EQ(parse_dtype(to_string(d)), d);
  }
  for (const Layout l : {Layout::kNN, Layout::kNT, Layout::kTN, Layout::kTT}) {
    EXPECT_EQ(parse_layout(to_string(l)), l);
  }
  EXPECT_THROW(parse_shard_dim("n"), Error);
}

TEST(Problem, LeadingDimensionsFollowTheLayout) {
  Problem problem = legal();
  EXPECT_EQ(problem.min_lda(), 32);
  EXPECT_EQ(problem.min_ldb(), 32);
  problem.layout = Layout::kTT;
  EXPECT_EQ(problem.min_lda(), 64);
  EXPECT_EQ(problem.min_ldb(), 128);
  EXPECT_EQ(problem.min_ldg(), 64);
}

}  // namespace
}  // namespace weft
