// SPDX-License-Identifier: Apache-2.0
// `weft select` on the shipped tables.
#include <string>
#include <vector>

#include "cli/harness.hpp"
#include "config/fused_config_json.hpp"

namespace weft::cli_test {
namespace {

using Select = Cli;

const std::string kMi300x = " --world-size 8 --arch gfx942 --dtype f16 --shard-dim k";

TEST_F(Select, PrintsAnImportedWinnerWithEveryConfigurationValue) {
  const Finished s = weft("select 131072 16384 16384" + kMi300x);
  EXPECT_EQ(s.code, 0) << s.err;
  for (const char* part : {"staged", "exact", "imported", "claimed 1.343x", "guard      on"}) {
    EXPECT_TRUE(mentions(s.out, part)) << part << "\n" << s.out;
  }
  for (const config::ConfigField& field : config::kConfigFields) {
    EXPECT_TRUE(mentions(s.out, std::string("  ") + field.name + " ")) << field.name;
  }
  EXPECT_TRUE(mentions(s.out, "  allow_tf32 "));
}

TEST_F(Select, PrintsAnImportedLoserAsUnfused) {
  const Finished s = weft("select 4096 4096 4096" + kMi300x);
  EXPECT_EQ(s.code, 0) << s.err;
  EXPECT_TRUE(mentions(s.out, "variant    unfused")) << s.out;
  EXPECT_TRUE(mentions(s.out, "claimed 0.527x")) << s.out;
}

TEST_F(Select, SaysWhyTheAnswerIsUnfused) {
  struct Case {
    const char* arguments;
    const char* reason;
  };
  for (const Case& c :
       {Case{"select 1000 1000 1000 --world-size 8 --arch gfx942 --dtype f16", "1000x1000x1000"},
        {"select 130000 16384 16384 --world-size 8 --arch gfx942 --dtype f16",
         "131072x16384x16384"},
        {"select 4096 4096 4096 --arch tpu9", "unknown"},
        {"select 131072 16384 16384 --world-size 4 --arch gfx942 --dtype f16", "claim"}}) {
    const Finished s = weft(std::string(c.arguments) + " --explain");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_TRUE(mentions(s.out, "variant    unfused")) << c.arguments << "\n" << s.out;
    EXPECT_TRUE(mentions(s.out, c.reason)) << c.arguments << "\n" << s.out;
  }
}

TEST_F(Select, JsonHasTheDocumentedKeysInOrder) {
  const std::vector<std::string> wanted{"problem",  "variant", "source", "reason",
                                        "config",   "entry",   "guard",  "bound_used",
                                        "distance", "layer",   "rungs"};
  const Finished s = weft("select 131072 16384 16384 --json" + kMi300x);
  std::vector<std::string> keys;
  const auto document = nlohmann::ordered_json::parse(s.out);
  for (const auto& item : document.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, wanted);
  EXPECT_EQ(document.at("source"), "exact");
  EXPECT_EQ(document.at("guard"), true);
  EXPECT_EQ(document.at("layer"), "shipped");
  EXPECT_EQ(document.at("entry").at("claimed_speedup"), 1.343);
  EXPECT_EQ(document.at("entry").at("stage"), "imported");
  EXPECT_EQ(document.at("config"), document.at("entry").at("config"));
  EXPECT_EQ(document.at("problem").at("device"), "gfx942-304cu");
  EXPECT_EQ(document.at("rungs").back().at("answered"), true);
}

TEST_F(Select, JsonKeepsTheStoredConfigurationOfALoser) {
  const nlohmann::json s = weft("select 4096 4096 4096 --json" + kMi300x).json();
  EXPECT_EQ(s.at("variant"), "unfused");
  EXPECT_TRUE(s.at("config").is_null());
  EXPECT_EQ(s.at("entry").at("config").at("variant"), "staged");
}

TEST_F(Select, TakesTheEnvironmentBelowTheArguments) {
  const std::string shape = "select 512 256 1024 --json ";
  EXPECT_EQ(weft(shape, "WEFT_VARIANT=direct").json().at("variant"), "direct");
  EXPECT_EQ(weft(shape + "--variant unfused", "WEFT_VARIANT=direct").json().at("variant"),
            "unfused");
  EXPECT_EQ(weft(shape, "WEFT_ARCH=gfx942").json().at("problem").at("device"), "gfx942-304cu");
  EXPECT_EQ(weft(shape + "--arch mi300x", "WEFT_ARCH=sm_90").json().at("problem").at("device"),
            "gfx942-304cu");
  const std::string winner = "select 131072 16384 16384 --json" + kMi300x;
  EXPECT_EQ(weft(winner, "WEFT_TRUST=measured").json().at("variant"), "unfused");
  EXPECT_EQ(weft(winner, "WEFT_GUARD=0").json().at("variant"), "unfused");
}

TEST_F(Select, RefusesAConfigurationThatIsNotLegal) {
  expect_refusal(2, "tile_m",
                 "select 512 256 1024 --config '{\"variant\": \"direct\", \"tile_m\": 0}'");
}

}  // namespace
}  // namespace weft::cli_test
