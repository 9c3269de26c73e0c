// SPDX-License-Identifier: Apache-2.0
#include "ops/check_args.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "weft/error.hpp"

namespace weft::ops {
namespace {

class CheckArgs : public ::testing::Test {
 protected:
  CheckArgs() {
    args_.a_shard = a_.data();
    args_.b = b_.data();
    args_.c = c_.data();
  }
  std::string refusal() const {
    try {
      checked_args(problem_, args_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return error.what();
    }
    return "";
  }
  Problem problem_{.m = 4, .n = 6, .k = 8, .world_size = 2};
  std::vector<float> a_ = std::vector<float>(64), b_ = std::vector<float>(64),
                     c_ = std::vector<float>(64), x_ = std::vector<float>(64);
  RunArgs args_;
};

TEST_F(CheckArgs, FillsInPackedLeadingDimensions) {
  const RunArgs checked = checked_args(problem_, args_);
  EXPECT_EQ(checked.lda, 4);
  EXPECT_EQ(checked.ldb, 6);
  EXPECT_EQ(checked.ldc, 6);
}

TEST_F(CheckArgs, NamesTheNullPointerAndItsShape) {
  args_.b = nullptr;
  EXPECT_EQ(refusal(), "b is null; pass a pointer to its 8 x 6 elements");
}

TEST_F(CheckArgs, NamesTheShortLeadingDimension) {
  args_.ldc = 5;
  EXPECT_EQ(refusal(), "ldc=5 is smaller than a row of c (6 elements); 0 means packed");
  args_.ldc = -1;
  EXPECT_NE(refusal(), "");
}

TEST_F(CheckArgs, RefusesMisalignedPointers) {
  args_.c = reinterpret_cast<char*>(c_.data()) + 2;
  EXPECT_NE(refusal().find("is not aligned to its 4-byte elements"), std::string::npos);
}

TEST_F(CheckArgs, RefusesOverflow) {
  args_.lda = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(refusal().find("overflows"), std::string::npos);
}

TEST_F(CheckArgs, BiasAndGatheredAMustMatchTheProblem) {
  args_.bias = x_.data();
  EXPECT_NE(refusal().find("has_bias is false"), std::string::npos);
  problem_.has_bias = true;
  EXPECT_EQ(refusal(), "");
  args_.bias = nullptr;
  EXPECT_NE(refusal().find("bias is null"), std::string::npos);
  problem_.has_bias = false;
  problem_.return_gathered_a = true;
  EXPECT_NE(refusal().find("gathered_a is null"), std::string::npos);
  args_.gathered_a = x_.data();
  EXPECT_EQ(refusal(), "");
  problem_.return_gathered_a = false;
  EXPECT_NE(refusal().find("return_gathered_a is false"), std::string::npos);
}

TEST_F(CheckArgs, RefusesCOverAnInput) {
  args_.c = a_.data() + 4;
  EXPECT_EQ(refusal(), "c overlaps a_shard; give C memory of its own");
}

TEST_F(CheckArgs, RefusesAStream) {
  args_.stream = &args_;
  EXPECT_NE(refusal().find("must be null"), std::string::npos);
}

}  // namespace
}  // namespace weft::ops
