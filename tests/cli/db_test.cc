// SPDX-License-Identifier: Apache-2.0
// `weft db` on the shipped tables and on broken files.
#include <string>

#include "cli/harness.hpp"

namespace weft::cli_test {
namespace {

namespace fs = std::filesystem;

using Db = Cli;

constexpr const char* kShippedFile = "ag_mm/gfx942-304cu/f16_nn_k_ws8_xgmi.json";

std::string shipped_text() { return text_of(fs::path(WEFT_SOURCE_DIR) / "configs" / kShippedFile); }

double speedup(const nlohmann::json& entry) {
  return entry.value("speedup", entry.value("claimed_speedup", 0.0));
}

TEST_F(Db, ListSortsBySpeedup) {
  const nlohmann::json sorted = weft("db list --sort speedup --json").json().at("entries");
  ASSERT_GT(sorted.size(), 10u);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    EXPECT_GE(speedup(sorted[i - 1]), speedup(sorted[i])) << i;
  }
  EXPECT_EQ(weft("db list --json").json().at("entries").size(), sorted.size());
  const std::string text = weft("db list --sort speedup").out;
  EXPECT_TRUE(mentions(text, std::to_string(sorted.size()) + " entries")) << text;
}

TEST_F(Db, ShowGivesOneEntry) {
  const std::string shape = "--world-size 8 --arch gfx942 --dtype f16 ";
  const nlohmann::json entry = weft("db show 131072 16384 16384 --json " + shape).json();
  EXPECT_EQ(entry.at("m"), 131072);
  EXPECT_EQ(entry.at("claimed_speedup"), 1.343);
  EXPECT_EQ(entry.at("device"), "gfx942-304cu");
  EXPECT_TRUE(mentions(weft("db show 131072 16384 16384 " + shape).out, "num_fetch_sms"));
  expect_refusal(1, "no entry for 128x128x128", "db show 128 128 128 " + shape);
}

TEST_F(Db, CheckAcceptsWhatIsShipped) {
  EXPECT_EQ(weft("db check").code, 0);
  const Finished tree = weft("db check '" WEFT_SOURCE_DIR "/configs' --json");
  EXPECT_EQ(tree.code, 0) << tree.out;
  EXPECT_EQ(tree.json().at("ok"), true);
}

TEST_F(Db, CheckFailsOnATruncatedFile) {
  put(std::string("layer/") + kShippedFile, shipped_text().substr(0, 500));
  const Finished check = weft("db check layer --json");
  EXPECT_EQ(check.code, 1);
  ASSERT_EQ(check.json().at("issues").size(), 1u);
  EXPECT_TRUE(mentions(check.json().at("issues")[0].at("file"), kShippedFile));
  EXPECT_EQ(weft(std::string("db check layer/") + kShippedFile).code, 1);
  // The same file as a layer: reported there too, and never an exception elsewhere.
  const std::string layer = "WEFT_DB_PATH='" + path("layer").string() + "'";
  EXPECT_EQ(weft("db check", layer).code, 1);
  EXPECT_EQ(weft("db list", layer).code, 0);
}

TEST_F(Db, CheckFailsOnAWinnerThatIsNotLegal) {
  std::string text = shipped_text();
  const std::size_t winner = text.find("\"status\": \"win\"");
  ASSERT_NE(winner, std::string::npos);
  // The winner's line, with stages too deep for the chip's shared memory.
  const std::size_t begin = text.rfind('\n', winner);
  const std::size_t stages = text.find("\"num_stages\": ", begin);
  ASSERT_LT(stages, text.find('\n', winner));
  const std::size_t digit = stages + std::string("\"num_stages\": ").size();
  text.at(digit) = '9';
  put(std::string("layer/") + kShippedFile, text);
  const Finished check = weft("db check layer");
  EXPECT_EQ(check.code, 1) << check.out;
  EXPECT_TRUE(mentions(check.out, "not legal")) << check.out;
}

TEST_F(Db, CheckRefusesPathsThatDoNotExist) {
  expect_refusal(2, "'nothing' does not exist", "db check nothing");
  fs::create_directories(path("empty"));
  EXPECT_EQ(weft("db check empty").code, 1);
}

TEST_F(Db, AnOverlayHidesTheShippedEntry) {
  std::string text = shipped_text();
  const std::string claim = "\"claimed_speedup\": 1.343";
  ASSERT_TRUE(mentions(text, claim));
  text.replace(text.find(claim), claim.size(), "\"claimed_speedup\": 1.999");
  put(std::string("data/weft/v1/") + kShippedFile, text);
  const std::string shape = "131072 16384 16384 --world-size 8 --arch gfx942 --dtype f16 --json";
  const nlohmann::json shown = weft("db show " + shape).json();
  EXPECT_EQ(shown.at("claimed_speedup"), 1.999);
  EXPECT_EQ(shown.at("layer"), "user");
  EXPECT_EQ(weft("select " + shape).json().at("layer"), "user");
}

}  // namespace
}  // namespace weft::cli_test
