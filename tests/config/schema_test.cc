// SPDX-License-Identifier: Apache-2.0
// The schema files say the same as the loader. (schema_check.py checks data files against them.)
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "config/fused_config_json.hpp"
#include "config/key.hpp"
#include "config/samples.hpp"
#include "config/words.hpp"

namespace weft::config {
namespace {

using nlohmann::json;
using Names = std::set<std::string>;

json schema() { return json::parse(slurp(std::string(WEFT_SOURCE_DIR) + "/configs/schema.json")); }

Names names_of(const json& object) {
  Names names;
  for (const auto& member : object.items()) names.insert(member.key());
  return names;
}
Names words_in(const json& list) { return list.get<Names>(); }

// An entry and a file in which no field has its default.
Entry full_entry() {
  Entry e = measured_entry();
  e.claimed_speedup = e.claimed_tflops = 1.5;
  e.trials = 1;
  e.label = e.description = e.note = "x";
  e.radius_octaves = {1, 1, 1};
  e.divisible = {2, 2, 2};
  e.needs_shared_memory_bytes = e.needs_workspace_bytes = 1;
  return e;
}

TEST(Schema, EntryFieldsAreThoseThatAreWritten) {
  const json entry = schema()["$defs"]["entry"];
  const json written = to_json(full_entry());
  EXPECT_EQ(names_of(entry["properties"]), names_of(written));
  EXPECT_EQ(names_of(entry["properties"]["needs"]["properties"]), names_of(written["needs"]));
  EXPECT_EQ(words_in(entry["required"]), names_of(to_json(Entry{})));
}

TEST(Schema, HeaderFieldsAreThoseThatAreWritten) {
  DatabaseFile file = sample_file();
  file.best_claimed_speedup = 1.5;
  file.disabled_reason = file.note = file.source = "x";
  EXPECT_EQ(names_of(schema()["properties"]), names_of(json::parse(write_file(file))));
  const DatabaseFile plain{sample_key(), {}, {}, 0, "", "", "", ""};
  EXPECT_EQ(words_in(schema()["required"]), names_of(json::parse(write_file(plain))));
}

TEST(Schema, ConfigAndEnvironmentFieldsAreAllRequired) {
  for (const auto& [name, written] : {std::pair{"config", to_json(FusedConfig{})},
                                      std::pair{"environment", to_json(Environment{})}}) {
    const json part = schema()["$defs"][name];
    EXPECT_EQ(names_of(part["properties"]), names_of(written));
    EXPECT_EQ(words_in(part["required"]), names_of(written));
  }
}

TEST(Schema, WordsAreThoseOfTheLoader) {
  const json document = schema();
  Names statuses, stages;
  for (const auto& row : kStatuses) statuses.emplace(row.second);
  for (const auto& row : kStages) stages.emplace(row.second);
  const json& entry = document["$defs"]["entry"]["properties"];
  EXPECT_EQ(words_in(entry["status"]["enum"]), statuses);
  EXPECT_EQ(words_in(entry["stage"]["enum"]), stages);
  EXPECT_EQ(words_in(document["properties"]["op"]["enum"]), Names(kOps.begin(), kOps.end()));
  for (const json& word : document["properties"]["dtype"]["enum"]) {
    EXPECT_NO_THROW(parse_dtype(word.get<std::string>()));
  }
  for (const json& word : document["$defs"]["config"]["properties"]["variant"]["enum"]) {
    EXPECT_NE(parse_variant(word.get<std::string>()), Variant::kUnfused);
  }
}

}  // namespace
}  // namespace weft::config
