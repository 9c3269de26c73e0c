// SPDX-License-Identifier: Apache-2.0
// What `weft bench` prints about the problems it measured.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/measure.hpp"
#include "weft/weft.hpp"

namespace weft::cli {

/// One measured problem.
struct BenchRow {
  std::string name;  ///< of the layer; "-" for sizes given directly
  std::string note;  ///< what its shape assumes; "" for nothing
  Selection selection;
  ops::Measurement measured;                 ///< of `stored`: what the entry knows
  bool stored = false;                       ///< not measured now: recorded before, and still fresh
  EntryStage stage = EntryStage::kScreened;  ///< of what was recorded or read
};

/// Facts about the whole run.
struct BenchRun {
  std::string what;          ///< the model and its split, or "1 problem"
  std::string device, link;  ///< database key of the CPU; link class between the ranks
  std::string micro_kernel;
  std::int32_t world_size = 1, threads_per_rank = 1, cores = 1;
  bool record = false;
  std::string root;                ///< of the user's database
  std::vector<std::string> files;  ///< below `root`, that hold evidence of these problems
  [[nodiscard]] bool oversubscribed() const noexcept {
    return world_size * threads_per_rank > cores;
  }
};

/// What is measured, where and with which kernel; printed before the table.
std::string bench_header(const BenchRun& run);

/// A line a row, then the notes that rows point to.
std::string bench_table(const BenchRun& run, const std::vector<BenchRow>& rows);

/// The last line: how many chose fused, the best gain, what to expect at which N, and where the
/// evidence is and how to undo it.
std::string bench_summary(const BenchRun& run, const std::vector<BenchRow>& rows);

/// {"meta": ..., "rows": [...]}; the note holds what the table says beside the numbers.
nlohmann::ordered_json bench_json(const BenchRun& run, const std::vector<BenchRow>& rows,
                                  std::string_view command, const Arch& arch);

}  // namespace weft::cli
