// SPDX-License-Identifier: Apache-2.0
#include "config/file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "config/samples.hpp"

namespace weft::config {
namespace {

using nlohmann::json;

const std::string kSamplePath =
    std::string(WEFT_SOURCE_DIR) + "/tests/config/data/" + sample_key().relative_path();

json sample_json() { return json::parse(write_file(sample_file())); }

ParsedFile parse(const json& document) {
  const DatabaseKey key = sample_key();
  return parse_file(document.dump(), "x.json", &key);
}

// One change to a valid file, where the message must stand, and a part of what it must say.
struct Breakage {
  std::string name;
  std::function<void(json&)> apply;
  std::string place, rule;
};

void expect_whole_file_skipped(const Breakage& b) {
  json document = sample_json();
  b.apply(document);
  const ParsedFile parsed = parse(document);
  EXPECT_FALSE(parsed.file) << b.name;
  ASSERT_EQ(parsed.issues.size(), 1u) << b.name;
  EXPECT_EQ(parsed.issues[0].file, "x.json");
  EXPECT_EQ(parsed.issues[0].place, b.place) << b.name;
  EXPECT_NE(parsed.issues[0].rule.find(b.rule), std::string::npos) << parsed.issues[0].rule;
  EXPECT_NE(parsed.issues[0].rule.find("the file is skipped"), std::string::npos);
}

void expect_entry_skipped(const Breakage& b) {
  json document = sample_json();
  b.apply(document["entries"][0]);
  const ParsedFile parsed = parse(document);
  ASSERT_TRUE(parsed.file) << b.name;
  EXPECT_EQ(parsed.file->entries.size(), 1u) << b.name;
  ASSERT_EQ(parsed.issues.size(), 1u) << b.name;
  EXPECT_EQ(parsed.issues[0].place, b.place) << b.name;
  EXPECT_NE(parsed.issues[0].rule.find(b.rule), std::string::npos)
      << b.name << ": " << parsed.issues[0].rule;
}

auto put(const char* name, json value) {
  return [=](json& object) { object[name] = value; };
}
auto drop(const char* name) {
  return [=](json& object) { object.erase(name); };
}

TEST(DatabaseFile, ReadsWhatItWrites) {
  const DatabaseFile file = sample_file();
  const DatabaseKey key = sample_key();
  const ParsedFile parsed = parse_file(write_file(file), "x.json", &key);
  ASSERT_TRUE(parsed.file);
  EXPECT_TRUE(parsed.issues.empty());
  EXPECT_EQ(*parsed.file, file);
}

TEST(DatabaseFile, BytesAreDeterministic) {
  DatabaseFile reversed = sample_file();
  std::reverse(reversed.entries.begin(), reversed.entries.end());
  reversed.environments["unused"] = Environment{};
  EXPECT_EQ(write_file(reversed), write_file(sample_file()));
  EXPECT_EQ(write_file(sample_file()), slurp(kSamplePath)) << "the format of files has changed";
}

TEST(DatabaseFile, WritesPlainDecimalsOneEntryALine) {
  DatabaseFile file = sample_file();
  file.entries[0].max_rel_err = 1e-7;
  const std::string text = write_file(file);
  EXPECT_NE(text.find("\"max_rel_err\": 0.0000001,"), std::string::npos) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.back(), '\n');
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    EXPECT_LE(std::count(line.begin(), line.end(), '{'), 2) << line;  // the entry and its config
    begin = end + 1;
  }
}

TEST(DatabaseFile, HeaderRules) {
  for (const char* name : {"schema", "shape_convention", "op", "device", "dtype", "layout",
                           "shard_dim", "world_size", "link", "environments", "entries"}) {
    expect_whole_file_skipped(
        {name, drop(name), "header", std::string("T004: field '") + name + "' is missing"});
    expect_whole_file_skipped({name, put(name, -1.5), "header", name});
  }
  const Breakage cases[] = {
      {"newer schema", put("schema", 2), "header", "T005: schema 2 is newer"},
      {"convention", put("shape_convention", "global"), "header", "must be 'per_rank_product'"},
      {"op", put("op", "gemm_rs"), "header", "op is 'gemm_rs'; use one of ag_mm"},
      {"device", put("device", "../x"), "header", "device is '../x'"},
      {"dtype", put("dtype", "f64"), "header", "dtype is 'f64'; use one of"},
      {"layout", put("layout", "n"), "header", "layout is 'n'"},
      {"world size", put("world_size", 0), "header", "'world_size' is 0"},
      {"link", put("link", "wire"), "header", "link is 'wire'"},
      {"entries", put("entries", json::object()), "header", "must be a list"},
      {"environments", put("environments", json::array()), "header", "must be an object"},
      {"claim", put("best_claimed_speedup", "1"), "header", "'best_claimed_speedup' is \"1\""},
      {"reason", put("disabled_reason", 1), "header", "must be a text"},
  };
  for (const Breakage& b : cases) expect_whole_file_skipped(b);
}

TEST(DatabaseFile, KeyMustEqualThePath) {
  for (const Breakage& b :
       {Breakage{"device", put("device", "cpu_avx2-6.143-t2"), "header", "-t2/"},
        Breakage{"dtype", put("dtype", "bf16"), "header", "/bf16_nn_m_ws2"},
        Breakage{"layout", put("layout", "tt"), "header", "f32_tt_m_ws2"},
        Breakage{"shard_dim", put("shard_dim", "k"), "header", "f32_nn_k_ws2"},
        Breakage{"ws", put("world_size", 4), "header", "f32_nn_m_ws4"},
        Breakage{"link", put("link", "net"), "header", "_ws2_net.json"}}) {
    expect_whole_file_skipped(b);
  }
}

TEST(DatabaseFile, EntryRules) {
  constexpr const char* kPlace = "entry 8192x128x4096";
  const Breakage cases[] = {
      {"no object", [](json& e) { e = 5; }, "entry number 1", "must be an object"},
      {"m missing", drop("m"), "entry number 1", "T004: field 'm' is missing"},
      {"m wrong type", put("m", "8192"), "entry number 1", "'m' is \"8192\""},
      {"m zero", put("m", 0), "entry 0x128x4096", "'m' is 0"},
      {"m too large", put("m", 1e19), "entry number 1", "'m' is 1e+19"},
      {"m overflows", put("m", 9007199254740992000), "entry 9007199254740992000x128x4096",
       "overflows"},
      {"m not divisible", put("m", 8191), "entry 8191x128x4096", "pad M to 8192"},
      {"config missing", drop("config"), kPlace, "'config' is missing"},
      {"config no object", put("config", 1), kPlace, "config is 1; it must be an object"},
      {"config field", [](json& e) { e["config"].erase("group_m"); }, kPlace, "'group_m'"},
      {"config value", [](json& e) { e["config"]["tile_k"] = 0; }, kPlace, "'tile_k' is 0"},
      {"status", put("status", "great"), kPlace, "status is 'great'; use one of win"},
      {"stage", put("stage", 1), kPlace, "'stage' is 1"},
      {"speedup negative", put("speedup", -1), kPlace, "'speedup' is -1"},
      {"speedup type", put("speedup", true), kPlace, "'speedup' is true"},
      {"negative time", put("t_fused_us", -0.5), kPlace, "'t_fused_us' is -0.5"},
      {"pairs fraction", put("pairs", 11.5), kPlace, "'pairs' is 11.5"},
      {"pairs too few", put("pairs", 9), kPlace, "pairs=9 must be at least 11"},
      {"no speedup", drop("speedup"), kPlace, "T004: field 'speedup' is missing"},
      {"no lower bound", drop("speedup_lo"), kPlace, "'speedup_lo' is missing"},
      {"no upper bound", drop("speedup_hi"), kPlace, "'speedup_hi' is missing"},
      {"no pairs", drop("pairs"), kPlace, "'pairs' is missing"},
      {"no time", drop("t_unfused_us"), kPlace, "'t_unfused_us' is missing"},
      {"no environment", drop("env"), kPlace, "'env' is missing"},
      {"no stamp", drop("tuned_at"), kPlace, "'tuned_at' is missing"},
      {"stamp", put("tuned_at", "2026-13-31T12:00:00Z"), kPlace, "tuned_at is '2026-13-31"},
      {"zone", put("tuned_at", "2026-01-31T12:00:00+"), kPlace, "write UTC as"},
      {"bounds order", put("speedup_lo", 1.35), kPlace, "must lie between"},
      {"unknown environment", put("env", "beef"), kPlace, "not among the file's environments"},
      {"radius", put("radius_octaves", {1, 2}), kPlace, "list of three numbers"},
      {"radius value", put("radius_octaves", {1, 2, -1}), kPlace, "'radius_octaves' is -1"},
      {"divisible", put("divisible", {0, 1, 1}), kPlace, "'divisible' is 0"},
      {"needs", put("needs", 4), kPlace, "needs is 4"},
      {"needs value", put("needs", {{"workspace_bytes", -4}}), kPlace, "'workspace_bytes' is -4"},
      {"long note", put("note", std::string(kMaxNoteBytes + 1, 'x')), kPlace, "at most 1000"},
      {"imported with bounds", put("stage", "imported"), kPlace, "must not carry speedup"},
  };
  for (const Breakage& b : cases) expect_entry_skipped(b);
}

TEST(DatabaseFile, ImportedStatusMustFollowTheClaim) {
  json document = sample_json();
  document["entries"] = {to_json(imported_entry(1.3)), to_json(imported_entry(0.7, 4096))};
  EXPECT_TRUE(parse(document).issues.empty());
  document["entries"][0]["claimed_speedup"] = 0.9;
  document["entries"][1].erase("claimed_speedup");
  const ParsedFile parsed = parse(document);
  ASSERT_EQ(parsed.issues.size(), 2u);
  EXPECT_NE(parsed.issues[0].rule.find("status is 'win', but claimed_speedup is 0.9"),
            std::string::npos);
  EXPECT_NE(parsed.issues[1].rule.find("status is 'lose', but claimed_speedup is 0"),
            std::string::npos);
}

TEST(DatabaseFile, ScreenedAndBrokenEntriesNeedLess) {
  json document = sample_json();
  json& screened = document["entries"][0];
  screened["stage"] = "screened";
  screened["pairs"] = 3;
  for (const char* name : {"speedup_lo", "speedup_hi"}) screened.erase(name);
  json& broken = document["entries"][1];
  broken["status"] = "broken";
  for (const char* name : {"speedup", "speedup_lo", "speedup_hi", "pairs", "t_fused_us"}) {
    broken.erase(name);
  }
  const ParsedFile parsed = parse(document);
  EXPECT_TRUE(parsed.issues.empty()) << parsed.issues[0].rule;
}

TEST(DatabaseFile, UnknownKeysAreIgnored) {
  json document = sample_json();
  document["from_the_future"] = {{"a", 1}};
  document["entries"][0]["registers"] = 168;
  document["environments"].begin().value()["container"] = "none";
  const ParsedFile parsed = parse(document);
  EXPECT_TRUE(parsed.issues.empty());
  EXPECT_EQ(*parsed.file, sample_file());
}

TEST(DatabaseFile, FirstOfTwoEqualShapesCounts) {
  json document = sample_json();
  document["entries"].push_back(document["entries"][0]);
  document["entries"].back()["label"] = "second";
  const ParsedFile parsed = parse(document);
  ASSERT_EQ(parsed.issues.size(), 1u);
  EXPECT_EQ(parsed.issues[0].place, "entry 8192x128x4096");
  EXPECT_NE(parsed.issues[0].rule.find("T010"), std::string::npos);
  EXPECT_EQ(*parsed.file, sample_file());
}

TEST(DatabaseFile, BadEnvironmentTakesItsEntriesAlong) {
  json document = sample_json();
  document["environments"].begin().value().erase("compiler");
  const ParsedFile parsed = parse(document);
  ASSERT_TRUE(parsed.file);
  EXPECT_TRUE(parsed.file->entries.empty());
  ASSERT_EQ(parsed.issues.size(), 3u);
  EXPECT_NE(parsed.issues[0].place.find("environment \""), std::string::npos);
  EXPECT_NE(parsed.issues[0].rule.find("'compiler' is missing"), std::string::npos);
}

TEST(DatabaseFile, DamagedTextIsSkippedWithLineAndColumn) {
  const std::string text = write_file(sample_file());
  const ParsedFile parsed = parse_file(text.substr(0, text.size() / 2), "x.json", nullptr);
  EXPECT_FALSE(parsed.file);
  ASSERT_EQ(parsed.issues.size(), 1u);
  EXPECT_EQ(parsed.issues[0].place.substr(0, 5), "line ");
  EXPECT_NE(parsed.issues[0].rule.find("T003: not valid JSON: the text is cut off"),
            std::string::npos);
}

}  // namespace
}  // namespace weft::config
