// SPDX-License-Identifier: Apache-2.0
#include "core/env.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "weft/error.hpp"

namespace weft::env {
namespace {

constexpr const char* kName = "WEFT_ENV_TEST";

class Env : public testing::Test {
 protected:
  void TearDown() override { unsetenv(kName); }
  static void set(const char* value) { setenv(kName, value, 1); }
};

TEST_F(Env, UnsetAndEmptyAreTheSame) {
  EXPECT_FALSE(text(kName));
  set("");
  EXPECT_FALSE(text(kName));
}

TEST_F(Env, IntegerRefusesJunkAndRange) {
  set("12");
  EXPECT_EQ(integer(kName, 1, 12), 12);
  for (const char* bad : {"13", "0", "1x", " 1", "1.5", "99999999999999999999"}) {
    set(bad);
    EXPECT_THROW(integer(kName, 1, 12), Error) << bad;
  }
}

TEST_F(Env, FlagTakesZeroAndOneOnly) {
  set("0");
  EXPECT_EQ(flag(kName), false);
  set("yes");
  EXPECT_THROW(flag(kName), Error);
}

TEST_F(Env, RelativePathsAreLeftOut) {
  set("a:/b::/c/d");
  const auto paths = path_list(kName);
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[1], "/c/d");
  EXPECT_FALSE(absolute_path(kName));
}

}  // namespace
}  // namespace weft::env
