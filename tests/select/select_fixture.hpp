// SPDX-License-Identifier: Apache-2.0
// Two machines to select for: a CPU of two threads, and an MI300X.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "fake_database.hpp"
#include "weft/select.hpp"

namespace weft::testing {

class SelectTest : public ::testing::Test {
 protected:
  const Arch cpu_ = parse_arch("cpu_avx2-25.1-t2");
  const Arch mi300x_ = parse_arch("mi300x");

  static Problem cpu_problem(std::int64_t m, std::int64_t n, std::int64_t k) {
    return {.m = m, .n = n, .k = k, .world_size = 2};
  }
  static Problem gpu_problem(std::int64_t m, std::int64_t n, std::int64_t k,
                             std::int32_t world_size = 8) {
    return {.m = m, .n = n, .k = k, .world_size = world_size, .dtype = DType::kF16};
  }
  DatabaseKey cpu_key() { return database_key(cpu_problem(8, 8, 8), cpu_, "shm"); }
  DatabaseKey gpu_key(std::int32_t world_size = 8) {
    return database_key(gpu_problem(8, 8, 8, world_size), mi300x_, "xgmi");
  }

  Selection on_cpu(const Problem& problem, const SelectOptions& options = {},
                   const Environment& now = this_machine()) {
    return select_config(problem, cpu_, "shm", database_, options, now);
  }
  Selection on_mi300x(const Problem& problem, const SelectOptions& options = {}) {
    return select_config(problem, mi300x_, "xgmi", database_, options, this_machine());
  }

  static const RungReport* rung(const Selection& selection, Source source) {
    for (const RungReport& report : selection.rungs) {
      if (report.rung == source) return &report;
    }
    return nullptr;
  }

  FakeDatabase database_;
};

/// Expects `unfused` from this rung for this reason, with no configuration to run.
inline void expect_unfused(const Selection& s, Source source, const std::string& reason) {
  EXPECT_EQ(s.variant, Variant::kUnfused) << s.text;
  EXPECT_FALSE(s.config.has_value());
  EXPECT_FALSE(s.guard);
  EXPECT_EQ(to_string(s.source), to_string(source)) << s.text;
  EXPECT_EQ(s.reason, reason) << s.text;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace weft::testing
