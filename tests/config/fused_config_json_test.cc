// SPDX-License-Identifier: Apache-2.0
#include "config/fused_config_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "weft/error.hpp"

namespace weft::config {
namespace {

using nlohmann::json;

std::string refusal(std::string_view text) {
  try {
    parse_fused_config(text, "WEFT_CONFIG");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    return e.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return "";
}

// Every field different from its default and from all others.
FusedConfig unlike_the_default() {
  FusedConfig config;
  config.variant = Variant::kCopyEngine;
  std::int32_t value = 100;
  for (const ConfigField& field : kConfigFields) config.*field.member = ++value;
  config.allow_tf32 = true;
  return config;
}

TEST(FusedConfigJson, RoundTripKeepsEveryField) {
  const FusedConfig config = unlike_the_default();
  const json object = to_json(config);
  EXPECT_EQ(object.size(), kConfigFields.size() + 2);
  EXPECT_EQ(object["num_xcds"], config.num_xcds);
  EXPECT_EQ(object["tile_m"], config.tile_m);
  EXPECT_EQ(from_json(object), config);
  EXPECT_EQ(parse_fused_config(object.dump(), "test"), config);
}

TEST(FusedConfigJson, FilesNeedEveryField) {
  const json full = to_json(FusedConfig{});
  for (const auto& member : full.items()) {
    json partial = full;
    partial.erase(member.key());
    try {
      from_json(partial);
      ADD_FAILURE() << member.key();
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("'" + member.key() + "' is missing"), std::string::npos)
          << e.what();
    }
  }
}

TEST(FusedConfigJson, FilesMayHaveUnknownKeys) {
  json object = to_json(FusedConfig{});
  object["from_the_future"] = 1;
  EXPECT_EQ(from_json(object), FusedConfig{});
}

TEST(FusedConfigJson, TypedTextTakesDefaults) {
  FusedConfig expected;
  expected.variant = Variant::kStaged;
  expected.tile_m = 64;
  EXPECT_EQ(parse_fused_config(R"({"variant": "staged", "tile_m": 64})", "test"), expected);
}

TEST(FusedConfigJson, TypedTextIsRefusedWithNameValueAndRule) {
  struct {
    const char* text;
    const char* part;
  } const cases[] = {
      {"", "WEFT_CONFIG: line 1, column 1"},
      {"[1]", "must be an object"},
      {R"({"tile_m": 64})", "'variant' is missing"},
      {R"({"variant": "fused"})", "variant is 'fused'; use one of"},
      {R"({"variant": "unfused"})", "has no configuration"},
      {R"({"variant": "direct", "tile_m": 0})", "'tile_m' is 0; it must be an integer from 1"},
      {R"({"variant": "direct", "tile_m": 1.5})", "'tile_m' is 1.5"},
      {R"({"variant": "direct", "tile_m": "64"})", "'tile_m' is \"64\""},
      {R"({"variant": "direct", "tile_m": 2147483648})", "to 2147483647"},
      {R"({"variant": "direct", "tile_m": 99999999999999999999})", "'tile_m' is"},
      {R"({"variant": "direct", "num_fetch_sms": -1})", "'num_fetch_sms' is -1"},
      {R"({"variant": "direct", "allow_tf32": 1})", "must be true or false"},
      {R"({"variant": "direct", "tilem": 64})", "\"tilem\" is not a field; use variant"},
      {R"({"variant": "direct", "variant": "staged"})", "occurs twice"},
  };
  for (const auto& bad : cases) {
    EXPECT_NE(refusal(bad.text).find(bad.part), std::string::npos)
        << bad.text << ": " << refusal(bad.text);
  }
}

}  // namespace
}  // namespace weft::config
