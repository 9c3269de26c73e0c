// SPDX-License-Identifier: Apache-2.0
#include "config/json_strict.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weft::config {
namespace {

struct BadText {
  std::string text;
  std::size_t line, column;
  std::string rule;  // a part of it
};

std::string nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonStrict, ReadsWhatIsLegal) {
  const JsonResult result = parse_strict(R"({"a": [1, -2, 2.5, true, null, "\u00e9"], "b": {}})");
  ASSERT_TRUE(result.value) << result.error.rule;
  EXPECT_EQ((*result.value)["a"][2], 2.5);
  EXPECT_EQ((*result.value)["a"][5], "\xc3\xa9");
  EXPECT_TRUE((*result.value)["b"].is_object());
  EXPECT_TRUE(parse_strict(nested(kMaxJsonDepth)).value);
}

TEST(JsonStrict, SameKeyInDifferentObjectsIsLegal) {
  EXPECT_TRUE(parse_strict(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})").value);
}

TEST(JsonStrict, RefusesWithPlaceAndRule) {
  const BadText cases[] = {
      {"{\"m\": 1,\n  \"m\": 2}", 2, 5, "key 'm' occurs twice"},
      {"{\"x\": [{\"k\": 1, \"k\": 1}]}", 1, 19, "key 'k' occurs twice"},
      {nested(kMaxJsonDepth + 1), 1, 17, "deeper than 16"},
      {"", 1, 1, "cut off"},
      {"{\"a\": [1, 2", 1, 12, "cut off"},
      {"{\"a\": tru", 1, 10, "cut off"},
      {"{\"a\": \"b", 1, 9, "cut off"},
      {"{\"a\": NaN}", 1, 7, "not valid JSON"},
      {"{\"a\": Infinity}", 1, 7, "not valid JSON"},
      {"[1e999]", 1, 6, "too large for a double"},
      {"[-1e999]", 1, 7, "too large for a double"},
      {"{} x", 1, 4, "not valid JSON"},
      {"[1,]", 1, 4, "not valid JSON"},
      {"[01]", 1, 3, "not valid JSON"},
      {"[\"\xff\"]", 1, 3, "not valid UTF-8"},
      {"[\"\xc0\xaf\"]", 1, 3, "not valid UTF-8"},          // overlong
      {"[\"\xe0\x80\xaf\"]", 1, 3, "not valid UTF-8"},      // overlong
      {"[\"\xed\xa0\x80\"]", 1, 3, "not valid UTF-8"},      // surrogate
      {"[\"\xf4\x90\x80\x80\"]", 1, 3, "not valid UTF-8"},  // above U+10FFFF
      {"[\"\xe2\x82\"]", 1, 3, "not valid UTF-8"},          // cut off inside a character
      {"[\n1,\n\x01]", 3, 1, "not valid JSON"},
      {std::string("[1]\0", 4), 1, 4, "NUL byte"},
      {std::string("[1]\0 x", 6), 1, 4, "NUL byte"},
      {"[\"\\ud800\"]", 1, 9, "not valid JSON"},
  };
  for (const BadText& bad : cases) {
    const JsonResult result = parse_strict(bad.text);
    EXPECT_FALSE(result.value) << bad.text;
    EXPECT_NE(result.error.rule.find(bad.rule), std::string::npos)
        << bad.text << ": " << result.error.rule;
    EXPECT_EQ(result.error.line, bad.line) << bad.text;
    EXPECT_EQ(result.error.column, bad.column) << bad.text << ": " << result.error.rule;
  }
}

TEST(JsonStrict, MessageDoesNotRepeatTheText) {
  const JsonResult result = parse_strict("{\"a\": \x1b[31mevil}");
  ASSERT_FALSE(result.value);
  EXPECT_EQ(result.error.rule.find("evil"), std::string::npos) << result.error.rule;
  EXPECT_EQ(result.error.rule.find('\x1b'), std::string::npos);
  EXPECT_EQ(result.error.place(), "line 1, column 7");
}

TEST(JsonStrict, RefusesSixteenMebibytes) {
  std::string text = "\"" + std::string(kMaxJsonBytes - 3, 'a') + "\"";
  ASSERT_EQ(text.size(), kMaxJsonBytes - 1);
  EXPECT_TRUE(parse_strict(text).value);
  text += ' ';
  const JsonResult result = parse_strict(text);
  ASSERT_FALSE(result.value);
  EXPECT_NE(result.error.rule.find("16777216"), std::string::npos) << result.error.rule;
}

}  // namespace
}  // namespace weft::config
