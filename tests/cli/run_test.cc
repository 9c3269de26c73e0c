// SPDX-License-Identifier: Apache-2.0
// `weft run`: results, files, timeline, refusals.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "../tools/cli/npy.hpp"
#include "cli/harness.hpp"

namespace weft::cli_test {
namespace {

using cli::read_npy;
using cli::write_npy;

constexpr std::int64_t kM = 24, kN = 10, kK = 32;

/// Small integers, so that every variant must give the very same C.
class Run : public Cli {
 protected:
  Run() : a_(kM * kK), b_(kK * kN), bias_(kN), c_(kM * kN) {
    std::uint32_t state = 1;
    for (auto* values : {&a_, &b_, &bias_}) {
      for (float& value : *values) {
        state = state * 1664525 + 1013904223;
        value = static_cast<float>(static_cast<std::int32_t>(state >> 28) - 8);
      }
    }
    for (std::size_t i = 0; i < kM; ++i) {
      for (std::size_t j = 0; j < kN; ++j) {
        c_[i * kN + j] = bias_[j];
        for (std::size_t k = 0; k < kK; ++k) c_[i * kN + j] += a_[i * kK + k] * b_[k * kN + j];
      }
    }
  }

  void put_files(bool a_transposed, bool b_transposed) const {
    put_matrix("a.npy", a_, kM, kK, a_transposed);
    put_matrix("b.npy", b_, kK, kN, b_transposed);
    write_npy(path("bias.npy"), std::vector<std::int64_t>{kN}, bias_);
  }

  void put_matrix(const std::string& name, const std::vector<float>& values, std::int64_t rows,
                  std::int64_t cols, bool transposed) const {
    if (!transposed) return write_npy(path(name), std::vector<std::int64_t>{rows, cols}, values);
    std::vector<float> stored(values.size());
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < cols; ++j) {
        stored[static_cast<std::size_t>(j * rows + i)] =
            values[static_cast<std::size_t>(i * cols + j)];
      }
    }
    write_npy(path(name), std::vector<std::int64_t>{cols, rows}, stored);
  }

  [[nodiscard]] std::vector<float> written_c() const {
    return read_npy(path("c.npy"), std::vector<std::int64_t>{kM, kN}, "c");
  }

  std::vector<float> a_, b_, bias_, c_;
};

const std::string kShape = "24 10 32 --iterations 1 ";
const std::string kFiles = "--a a.npy --b b.npy --bias bias.npy --c c.npy ";

TEST_F(Run, WritesTheExactProductOfFilesInEveryLayoutAndVariant) {
  for (const std::string layout : {"nn", "nt", "tn", "tt"}) {
    put_files(layout[0] == 't', layout[1] == 't');
    for (const char* shard_dim : {"m", "k"}) {
      for (const char* variant : {"unfused", "direct", "staged"}) {
        const std::string options =
            "--layout " + layout + " --shard-dim " + shard_dim + " --variant " + variant + " ";
        const Finished run = weft("run " + kShape + kFiles + options);
        EXPECT_EQ(run.code, 0) << options << run.err;
        EXPECT_EQ(written_c(), c_) << options;
      }
    }
  }
}

TEST_F(Run, RoundsFilesToBf16AndWritesF32) {
  put_files(false, false);
  const Finished run = weft("run " + kShape + kFiles + "--dtype bf16 --json");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json().at("correct"), true);
  const std::vector<float> c = written_c();
  for (std::size_t i = 0; i < c.size(); ++i) {
    // Half a unit in the last place of 8 significant bits.
    EXPECT_NEAR(c[i], c_[i], std::abs(c_[i]) / 256) << i;
  }
}

TEST_F(Run, ReportsVariantTimeAndError) {
  const Finished run = weft("run 64 48 96 --world-size 3 --json --has-bias --iterations 3");
  EXPECT_EQ(run.code, 0) << run.err;
  const nlohmann::json document = run.json();
  EXPECT_EQ(document.at("variant"), "unfused");
  EXPECT_EQ(document.at("source"), "fallback");
  EXPECT_EQ(document.at("correct"), true);
  EXPECT_GE(document.at("checked_rows"), 16);
  EXPECT_LT(document.at("max_rel_err"), 1e-5);
  EXPECT_EQ(document.at("time_us").at("calls"), 3);
  EXPECT_GT(document.at("time_us").at("median"), 0);
  EXPECT_LE(document.at("time_us").at("min"), document.at("time_us").at("median"));
  EXPECT_GE(document.at("time_us").at("max"), document.at("time_us").at("median"));
  const Finished text = weft("run 64 48 96 --variant direct");
  EXPECT_TRUE(mentions(text.out, "variant    direct")) << text.out;
  EXPECT_TRUE(mentions(text.out, "source     override")) << text.out;
}

TEST_F(Run, SeedsGiveOperands) {
  const auto c_of = [&](const std::string& seed) {
    EXPECT_EQ(weft("run " + kShape + "--c c.npy --variant direct --seed " + seed).code, 0);
    return written_c();
  };
  const std::vector<float> first = c_of("1");
  EXPECT_EQ(first, c_of("1"));
  EXPECT_NE(first, c_of("2"));
}

TEST_F(Run, WritesATimelineOfTheLastCall) {
  const Finished run =
      weft("run 512 256 1024 --variant staged --iterations 4 --trace t.json --threads-per-rank 2");
  EXPECT_EQ(run.code, 0) << run.err;
  const nlohmann::json trace = nlohmann::json::parse(text_of(path("t.json")));
  std::set<std::string> kinds;
  std::set<std::int64_t> ranks;
  for (const auto& e : trace.at("traceEvents")) {
    if (e.at("ph") != "X") continue;
    kinds.insert(e.at("name").get<std::string>());
    ranks.insert(e.at("pid").get<std::int64_t>());
    EXPECT_GE(e.at("dur"), 0);
  }
  EXPECT_EQ(ranks.size(), 2u);
  EXPECT_TRUE(kinds.count("fetch") == 1 && kinds.count("compute") == 1) << trace.dump();
  const auto count = [&](const std::string& iterations) {
    EXPECT_EQ(
        weft("run 512 256 1024 --variant unfused --trace t.json --iterations " + iterations).code,
        0);
    // Waits are not counted: how often a rank waits is a matter of timing.
    const nlohmann::json events = nlohmann::json::parse(text_of(path("t.json"))).at("traceEvents");
    return std::count_if(events.begin(), events.end(), [](const nlohmann::json& e) {
      return e.at("name") == "gather" || e.at("name") == "compute";
    });
  };
  const auto once = count("1");
  EXPECT_GT(once, 0);
  EXPECT_EQ(once, count("5"));
}

TEST_F(Run, RefusesBadFiles) {
  put_files(false, false);
  expect_refusal(2, "shape (24, 32) must be (24, 64)", "run 24 10 64 --a a.npy");
  expect_refusal(2, "shape (32, 10) must be (10, 32)", "run " + kShape + "--b b.npy --layout nt");
  expect_refusal(2, "shape (10,) must be (11,)", "run 24 11 32 --bias bias.npy");
  expect_refusal(2, "--a 'absent.npy'", "run " + kShape + "--a absent.npy");
  put("junk.npy", "not an array");
  expect_refusal(2, "no .npy file", "run " + kShape + "--b junk.npy");
}

TEST_F(Run, LeavesNothingBehindWhenOutputFails) {
  expect_refusal(3, "no/c.npy", "run " + kShape + "--c no/c.npy");
  expect_refusal(3, "/dev/full", "run " + kShape + "--c /dev/full");
  expect_refusal(3, "/dev/full", "run " + kShape + "--trace /dev/full");
  // A file-size limit of one block stands for a full disk.
  const Finished limited = weft("run 512 256 64 --c big.npy", "ulimit -f 1;");
  EXPECT_EQ(limited.code, 3) << limited.err;
  EXPECT_TRUE(mentions(limited.err, "big.npy")) << limited.err;
  for (const auto& entry : std::filesystem::directory_iterator(path("."))) {
    EXPECT_FALSE(mentions(entry.path().filename().string(), "npy")) << entry.path();
  }
}

TEST_F(Run, RefusesWhatThisMachineCannotDo) {
  expect_refusal(3, "use f32 or bf16", "run 64 64 64 --dtype f16");
  expect_refusal(3, "GiB", "run 4000000 4000000 4000000");
  expect_refusal(2, "world_size", "run 1024 64 1024 --world-size 128");
}

TEST_F(Run, RefusesFusedVariantsOnASimulatedChip) {
  expect_refusal(3, "WEFT_ARCH simulates gfx942-304cu", "run 512 256 1024 --variant staged",
                 "WEFT_ARCH=gfx942");
  const Finished chosen = weft("run 512 256 1024 --json", "WEFT_ARCH=gfx942");
  EXPECT_EQ(chosen.code, 0) << chosen.err;
  EXPECT_EQ(chosen.json().at("variant"), "unfused");
}

}  // namespace
}  // namespace weft::cli_test
