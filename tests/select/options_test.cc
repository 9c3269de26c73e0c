// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "weft/error.hpp"
#include "weft/select.hpp"

namespace weft {
namespace {

constexpr const char* kConfig = R"({"variant":"staged","tile_m":64,"tile_n":32,"tile_k":16})";

class OptionsFromEnvironment : public ::testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name : {"WEFT_CONFIG", "WEFT_VARIANT", "WEFT_TRUST", "WEFT_GUARD"}) {
      unsetenv(name);
    }
  }
};

TEST_F(OptionsFromEnvironment, UnsetVariablesLeaveFieldsUnset) {
  EXPECT_EQ(options_from_environment(), SelectOptions{});
}

TEST_F(OptionsFromEnvironment, ReadsEveryVariable) {
  setenv("WEFT_TRUST", "measured", 1);
  setenv("WEFT_GUARD", "0", 1);
  setenv("WEFT_VARIANT", "direct", 1);
  SelectOptions o = options_from_environment();
  EXPECT_EQ(o.trust, Trust::kMeasured);
  EXPECT_EQ(o.guard, GuardMode::kOff);
  EXPECT_EQ(o.variant, Variant::kDirect);
  setenv("WEFT_TRUST", "all", 1);
  setenv("WEFT_GUARD", "1", 1);
  setenv("WEFT_CONFIG", kConfig, 1);
  o = options_from_environment();
  EXPECT_EQ(o.trust, Trust::kAll);
  EXPECT_EQ(o.guard, GuardMode::kOn);
  ASSERT_TRUE(o.config.has_value());
  EXPECT_EQ(o.config->tile_n, 32);
  EXPECT_FALSE(o.variant.has_value()) << "WEFT_CONFIG outranks WEFT_VARIANT";
}

TEST_F(OptionsFromEnvironment, ArgumentsOutrankTheEnvironment) {
  setenv("WEFT_CONFIG", kConfig, 1);
  setenv("WEFT_VARIANT", "direct", 1);
  setenv("WEFT_TRUST", "measured", 1);
  setenv("WEFT_GUARD", "0", 1);
  const SelectOptions by_variant{.config = std::nullopt,
                                 .variant = Variant::kUnfused,
                                 .trust = Trust::kAll,
                                 .guard = GuardMode::kOn};
  EXPECT_EQ(options_from_environment(by_variant), by_variant);
  SelectOptions by_config;
  by_config.config = FusedConfig{};
  EXPECT_EQ(options_from_environment(by_config).config, FusedConfig{});
}

TEST_F(OptionsFromEnvironment, MalformedVariablesAreRefusedByName) {
  for (const auto& [name, value] : {std::pair{"WEFT_CONFIG", "{"},
                                    {"WEFT_CONFIG", "{}"},
                                    {"WEFT_VARIANT", "fused"},
                                    {"WEFT_TRUST", "none"},
                                    {"WEFT_GUARD", "yes"}}) {
    setenv(name, value, 1);
    SelectOptions by_argument;
    by_argument.config = FusedConfig{};  // a variable that does not count is checked all the same
    for (const SelectOptions& options : {SelectOptions{}, by_argument}) {
      try {
        (void)options_from_environment(options);
        ADD_FAILURE() << name << "=" << value << " must be refused";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      }
    }
    unsetenv(name);
  }
}

TEST(Source, HasAWordForEachRung) {
  EXPECT_EQ(to_string(Source::kOverride), "override");
  EXPECT_EQ(to_string(Source::kExact), "exact");
  EXPECT_EQ(to_string(Source::kNearest), "nearest");
  EXPECT_EQ(to_string(Source::kModel), "model");
  EXPECT_EQ(to_string(Source::kFallback), "fallback");
}

}  // namespace
}  // namespace weft
