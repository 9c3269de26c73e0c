// SPDX-License-Identifier: Apache-2.0
// Help, version, and the exit codes and sentences of bad input.
#include <string>
#include <vector>

#include "../tools/cli/common.hpp"
#include "cli/harness.hpp"

namespace weft::cli_test {
namespace {

using Usage = Cli;

TEST_F(Usage, EveryVerbHasAPageWithExamplesExitCodesAndVariables) {
  for (const char* verb :
       {"", "info", "select", "run", "bench", "db", "db list", "db show", "db check"}) {
    const Finished help = weft(std::string(verb) + " --help");
    EXPECT_EQ(help.code, 0) << verb;
    EXPECT_EQ(help.err, "") << verb;
    for (const char* part : {"Usage: weft", "Examples:", "Exit codes:", "Environment"}) {
      EXPECT_TRUE(mentions(help.out, part)) << verb << ": " << part;
    }
    for (const cli::EnvironmentVariable& v : cli::environment_variables()) {
      EXPECT_TRUE(mentions(help.out, v.name)) << verb << ": " << v.name;
    }
  }
}

TEST_F(Usage, PagesNameTheDefaultsThatAreUsed) {
  const std::string page = weft("select --help").out;
  const nlohmann::json problem = weft("select 64 64 64 --json").json().at("problem");
  EXPECT_TRUE(mentions(page, "=" + problem.at("world_size").dump() + "\n")) << page;
  EXPECT_TRUE(mentions(page, "--dtype TEXT=" + problem.at("dtype").get<std::string>()));
  EXPECT_TRUE(mentions(page, "--layout TEXT=" + problem.at("layout").get<std::string>()));
  EXPECT_TRUE(mentions(page, "--shard-dim TEXT=" + problem.at("shard_dim").get<std::string>()));
}

TEST_F(Usage, EveryLeafVerbOffersJson) {
  for (const char* verb : {"info", "select", "run", "bench", "db list", "db show", "db check"}) {
    EXPECT_TRUE(mentions(weft(std::string(verb) + " --help").out, "--json")) << verb;
  }
}

TEST_F(Usage, VersionNamesCommitBackendsAndMicroKernel) {
  const Finished version = weft("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out.rfind("weft ", 0), 0u) << version.out;
  for (const char* part : {"\ncommit ", "\nbackends ", "cpu", "\nmicro-kernel "}) {
    EXPECT_TRUE(mentions(version.out, part)) << part;
  }
}

TEST_F(Usage, InfoGivesTheFactsOfThisMachine) {
  const nlohmann::json info = weft("info --json --threads-per-rank 2", "WEFT_LOG=off").json();
  const std::string device = info.at("cpu").at("device");
  EXPECT_EQ(device.rfind("cpu_", 0), 0u);
  EXPECT_EQ(device.substr(device.size() - 3), "-t2");
  EXPECT_EQ(info.at("cpu").at("link"), "shm");
  EXPECT_EQ(info.at("database").at("layers").back().at("layer"), "shipped");
  EXPECT_GT(info.at("database").at("layers").back().at("keys"), 0);
  EXPECT_EQ(info.at("database").at("digest").get<std::string>().size(), 32u);
  EXPECT_EQ(info.at("variables").at("WEFT_LOG"), "off");
  EXPECT_TRUE(info.at("environment").contains("unfused_gemm"));
  EXPECT_TRUE(mentions(weft("info").out, path("data/weft/v1").string()));
}

TEST_F(Usage, RefusesBadArguments) {
  expect_refusal(2, "needs a verb: info, select, run, bench, db", "");
  expect_refusal(2, "needs a verb: list, show, check", "db");
  expect_refusal(2, "nosuch", "db nosuch");
  expect_refusal(2, "nosuch", "nosuch");
  expect_refusal(2, "K is required", "select 64 64");
  expect_refusal(2, "'4x' must be an integer", "select 4x 64 64");
  expect_refusal(2, "'-5' must be an integer", "select -5 64 64");
  expect_refusal(2, "'0' must be an integer", "run 64 0 64");
  expect_refusal(2, "'99999999999999999999'", "select 64 64 99999999999999999999");
  expect_refusal(2, "overflows", "select 9000000000000000000 64 64");
  expect_refusal(2, "K=63 is not a multiple of world_size=2", "select 64 64 63");
  expect_refusal(2, "pad M to 64", "select 63 64 64 --shard-dim m");
  expect_refusal(2, "'0' must be an integer from 1 to", "select 64 64 64 --world-size 0");
  expect_refusal(2, "dtype is 'f64'; use one of f32", "select 64 64 64 --dtype f64");
  expect_refusal(2, "layout is 'nx'", "select 64 64 64 --layout nx");
  expect_refusal(2, "shard_dim is 'n'", "select 64 64 64 --shard-dim n");
  expect_refusal(2, "string", "select 64 64 64 --link string");
  expect_refusal(2, "variant is 'fast'", "select 64 64 64 --variant fast");
  expect_refusal(2, "--config", "select 64 64 64 --config '{\"variant\": '");
  expect_refusal(2, "tile_q",
                 "select 64 64 64 --config '{\"variant\": \"direct\", \"tile_q\": 1}'");
  expect_refusal(2, "foo", "db list --sort foo");
  expect_refusal(2, "'-1' must be an integer from 0", "run 64 64 64 --seed -1");
  expect_refusal(2, "--nosuch", "info --nosuch");
}

TEST_F(Usage, RefusesMalformedVariables) {
  for (const char* verb : {"select 64 64 64", "run 64 64 64"}) {
    expect_refusal(2, "WEFT_TRUST", verb, "WEFT_TRUST=some");
    expect_refusal(2, "WEFT_GUARD='2'", verb, "WEFT_GUARD=2");
    expect_refusal(2, "WEFT_VARIANT", verb, "WEFT_VARIANT=fast");
    expect_refusal(2, "WEFT_CONFIG", verb, "WEFT_CONFIG={");
    expect_refusal(2, "WEFT_LOG", verb, "WEFT_LOG=loud");
  }
  expect_refusal(2, "WEFT_TIMEOUT_MS='soon'", "run 64 64 64", "WEFT_TIMEOUT_MS=soon");
  const Finished info = weft("info", "WEFT_TRUST=some");
  EXPECT_EQ(info.code, 2);
  EXPECT_TRUE(mentions(info.out, "WEFT_TRUST=some")) << "shown before it is refused";
  EXPECT_TRUE(mentions(info.err, "WEFT_TRUST"));
}

TEST_F(Usage, ReportsOutputThatCannotBeWritten) {
  const int status = std::system(WEFT_CLI " db list >/dev/full 2>/dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

}  // namespace
}  // namespace weft::cli_test
