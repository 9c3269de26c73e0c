// SPDX-License-Identifier: Apache-2.0
#include "../tools/cli/bench_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "../tools/cli/progress.hpp"

namespace weft::cli {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

BenchRun run_facts() {
  BenchRun run;
  run.what = "config.json: 2 layers, tp 2, 256 tokens";
  run.device = "cpu_avx2-25.1-t1";
  run.link = "shm";
  run.micro_kernel = "a kernel";
  run.world_size = 2;
  run.cores = 2;
  run.record = true;
  run.root = "/data/weft/v1";
  run.files = {"ag_mm/d/a.json", "ag_mm/d/b.json"};
  return run;
}

BenchRow fused_row() {
  BenchRow row;
  row.name = std::string("k");
  row.selection.variant = Variant::kDirect;
  row.selection.source = Source::kExact;
  row.selection.reason = "measured_win";
  row.selection.config = FusedConfig{};
  row.selection.config->tile_m = 128;
  row.selection.config->tile_n = 512;
  row.selection.config->tile_k = 4096;
  ops::Measurement& m = row.measured;
  m.problem = {.m = 256, .n = 512, .k = 4096, .world_size = 2, .shard_dim = ShardDim::kM};
  m.config = row.selection.config;
  m.t_gemm = {0.0100, 0.0095, 0.0110};
  m.t_gather = {0.0010, 0.0009, 0.0012};
  m.t_unfused = {0.0123456, 0.012, 0.013};
  m.t_fused = {0.0105, 0.0101, 0.0109};
  m.pairs = 11;
  m.speedup = 1.1758;
  m.bounds = {1.151, 1.192};
  m.bound = 1.23456;
  m.bound_share = 0.95238;
  m.overlap_efficiency = 0.787;
  m.noise_floor = 0.004;
  m.max_rel_err = 3.2e-7;
  return row;
}

BenchRow lost_row() {
  BenchRow row = fused_row();
  row.name = "qkv";
  row.selection.variant = Variant::kUnfused;
  row.selection.reason = "measured_loss";
  row.selection.config.reset();
  row.measured.problem.n = 3072;
  row.measured.speedup = 0.97;
  row.measured.bounds = {0.96, 0.98};
  row.measured.overlap_efficiency.reset();
  return row;
}

TEST(BenchTable, ShowsEveryColumnOfARow) {
  const std::string text = bench_table(run_facts(), {fused_row()});
  for (const char* part :
       {"k ", "256", "512", "4096", "m ", "f32", "direct 128x512x4096", "exact", "measured_win",
        "10.00 [9.500 11.00]", "1.000 [0.9000 1.200]", "12.35 [12.00 13.00]", "10.50 [10.10 10.90]",
        "1.176 [1.151 1.192]", "0.95", "0.4 %", "3.2e-07"}) {
    EXPECT_TRUE(holds(text, part)) << part << " in\n" << text;
  }
}

TEST(BenchTable, ALossIsShownAsPlainlyAsAWin) {
  const std::string text = bench_table(run_facts(), {lost_row()});
  EXPECT_TRUE(holds(text, "0.970 [0.960 0.980]")) << text;
  EXPECT_TRUE(holds(text, "unfused")) << text;
  EXPECT_TRUE(holds(text, "qkv: T_fused is that of direct 128x512x4096")) << text;
}

TEST(BenchTable, UnfusedAloneHasNoFusedTimeAndNoSpeedup) {
  BenchRow row = lost_row();
  row.measured.config.reset();
  row.measured.t_fused = {};
  row.measured.pairs = 0;
  row.measured.bound_share = 0;
  const std::string text = bench_table(run_facts(), {row});
  EXPECT_FALSE(holds(text, "0.970")) << text;
  EXPECT_FALSE(holds(text, "10.50")) << text;
}

TEST(BenchTable, MarksOversubscribedRatios) {
  BenchRun run = run_facts();
  EXPECT_FALSE(holds(bench_table(run, {fused_row()}), "oversubscribed"));
  run.cores = 1;
  EXPECT_TRUE(holds(bench_table(run, {fused_row()}), "1.192] oversubscribed"));
  EXPECT_TRUE(holds(bench_header(run), "2 threads share 1 cores"));
}

TEST(BenchTable, SaysWhatIsDoubtful) {
  BenchRow row = fused_row();
  row.measured.noise_floor = 0.08;
  row.measured.lag1 = 0.5;
  row.measured.correct = false;
  const std::string text = bench_table(run_facts(), {row});
  EXPECT_TRUE(holds(text, "noise floor is 8.0 %")) << text;
  EXPECT_TRUE(holds(text, "correlate (0.50)")) << text;
  EXPECT_TRUE(holds(text, "WRONG RESULT")) << text;
}

TEST(BenchTable, TooFewPairsHaveNoInterval) {
  BenchRow row = fused_row();
  row.measured.pairs = 7;
  row.measured.bounds = {};
  EXPECT_TRUE(holds(bench_table(run_facts(), {row}), "1.176 (7 pairs)"));
}

TEST(BenchSummary, CountsFusedNamesTheBestAndHowToUndo) {
  const std::string text = bench_summary(run_facts(), {fused_row(), lost_row()});
  EXPECT_TRUE(holds(text, "1 of 2 layers chose fused, the best gain is 1.18x (k, N = 512)"))
      << text;
  EXPECT_TRUE(holds(text, "N >= 1024")) << text;
  EXPECT_TRUE(holds(text, "rm '/data/weft/v1/ag_mm/d/a.json' '/data/weft/v1/ag_mm/d/b.json'"))
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << "one line";
}

TEST(BenchSummary, WithoutRecordNothingIsWritten) {
  BenchRun run = run_facts();
  run.record = false;
  run.files.clear();
  const std::string text = bench_summary(run, {lost_row()});
  EXPECT_TRUE(holds(text, "0 of 1 problem chose fused")) << text;
  EXPECT_TRUE(holds(text, "Nothing was written")) << text;
  EXPECT_FALSE(holds(text, "rm ")) << text;
}

TEST(BenchSummary, EvidenceOfAnEarlierRunIsNamedToo) {
  BenchRun run = run_facts();
  run.record = false;
  const std::string text = bench_summary(run, {fused_row()});
  EXPECT_TRUE(holds(text, "Nothing was written. The evidence is in /data/weft/v1")) << text;
  EXPECT_TRUE(holds(text, "to undo it: rm '/data/weft/v1/ag_mm/d/a.json'")) << text;
}

TEST(BenchJson, HasTheFieldsOfResultFiles) {
  const Arch arch{.key = "cpu_avx2", .units = 1, .cpu_model = "25.1", .name = "a CPU"};
  const nlohmann::ordered_json document =
      bench_json(run_facts(), {fused_row(), lost_row()}, "weft bench", arch);
  std::set<std::string> meta;
  for (const auto& [name, value] : document["meta"].items()) meta.insert(name);
  EXPECT_EQ(meta, (std::set<std::string>{"command", "device", "driver", "toolkit", "library_commit",
                                         "date", "clocks", "note"}));
  const nlohmann::ordered_json& row = document["rows"][0];
  std::set<std::string> fields;
  for (const auto& [name, value] : row.items()) fields.insert(name);
  EXPECT_EQ(fields, (std::set<std::string>{"bench",       "m",
                                           "n",           "k",
                                           "world_size",  "shard_dim",
                                           "layout",      "dtype",
                                           "link",        "variant",
                                           "config",      "t_gemm_us",
                                           "t_gather_us", "t_unfused_us",
                                           "t_fused_us",  "pairs",
                                           "speedup",     "speedup_lo",
                                           "speedup_hi",  "bound",
                                           "bound_share", "overlap_efficiency",
                                           "tflops",      "max_rel_err"}));
  EXPECT_EQ(row["variant"], "direct");
  EXPECT_EQ(row["t_unfused_us"], 12345.6);
  EXPECT_EQ(row["config"]["tile_n"], 512);
  EXPECT_NEAR(row["tflops"].get<double>(), 2.0 * 256 * 512 * 4096 / 0.0105 * 1e-12, 1e-6);
  EXPECT_TRUE(document["rows"][1]["overlap_efficiency"].is_null());
}

TEST(BenchJson, WhatWasNotMeasuredIsNull) {
  const Arch arch{.key = "cpu_avx2", .units = 1, .cpu_model = "25.1", .name = "a CPU"};
  BenchRow row = fused_row();
  row.measured.t_gemm = {};
  row.measured.config.reset();
  row.measured.t_fused = {};
  row.measured.max_rel_err = std::nan("");
  const nlohmann::ordered_json json = bench_json(run_facts(), {row}, "weft bench", arch)["rows"][0];
  EXPECT_EQ(json["variant"], "unfused");
  for (const char* field : {"config", "t_gemm_us", "t_fused_us", "tflops", "max_rel_err"}) {
    EXPECT_TRUE(json[field].is_null()) << field;
  }
}

TEST(TimeLeft, ScalesWithWhatIsDone) {
  EXPECT_EQ(time_left(10, 0.2), "about 40 s left");
  EXPECT_EQ(time_left(60, 0.25), "about 3 min left");
}

}  // namespace
}  // namespace weft::cli
