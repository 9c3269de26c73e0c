// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "arch/detect.hpp"
#include "config/fused_config_json.hpp"
#include "config/key.hpp"
#include "core/message.hpp"

namespace weft::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes:\n"
    "  0  ok\n"
    "  1  a check failed: wrong results, or a database with issues\n"
    "  2  bad input: arguments, files, environment variables\n"
    "  3  runtime: device, timeout, I/O, unfit environment\n"
    "  4  inconclusive (regression tests only)";

std::string environment_help() {
  std::string text =
      "Environment (arguments win over WEFT_CONFIG, that over WEFT_VARIANT, that over the "
      "database):";
  for (const EnvironmentVariable& v : environment_variables()) {
    text += fmt::format("\n  {:<16} {}", v.name, v.meaning);
  }
  return text;
}

bool is_number_like(const std::string& cell) {
  return !cell.empty() && (cell == "-" || cell.find_first_of("0123456789") <= 1);
}

}  // namespace

std::span<const EnvironmentVariable> environment_variables() {
  static constexpr EnvironmentVariable kVariables[] = {
      {"WEFT_CONFIG", "a configuration as JSON, used for every problem"},
      {"WEFT_VARIANT", "unfused, staged, copy_engine or direct, used for every problem"},
      {"WEFT_GUARD", "1: a fused choice proves itself first; 0: imported winners run unfused"},
      {"WEFT_TRUST", "all, or measured: imported winners never select"},
      {"WEFT_ARCH", "simulates a chip, such as gfx942; run and bench then refuse fused variants"},
      {"WEFT_DB_PATH", "database folders searched first, colon-separated, absolute"},
      {"WEFT_LOG", "off, notice or debug"},
      {"WEFT_TIMEOUT_MS", "limit of every wait for another rank, in milliseconds"},
      {"WEFT_CACHE_DIR", "its kernels holds compiled GPU kernels; absolute"},
      {"XDG_CACHE_HOME", "without WEFT_CACHE_DIR, its weft/kernels holds them"},
      {"XDG_DATA_HOME", "its weft/v1 is the user's database"},
      {"XDG_DATA_DIRS", "their weft/v1 are the site's databases"}};
  return kVariables;
}

int exit_code(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kConfigError: return kUsage;
    case ErrorCode::kUnsupported:
    case ErrorCode::kDeviceError:
    case ErrorCode::kTimeout:
    case ErrorCode::kInternal: return kRuntime;
  }
  return kRuntime;
}

void add_json_option(CLI::App& verb, Context& context) {
  verb.add_flag("--json", context.json, "Print one JSON document instead of text");
}

void require_verb(const CLI::App& parent) {
  if (!parent.get_subcommands().empty()) return;
  std::string verbs;
  for (const CLI::App* verb : parent.get_subcommands(nullptr)) {
    verbs += (verbs.empty() ? "" : ", ") + verb->get_name();
  }
  throw invalid_argument("'{}' needs a verb: {}; see '{} --help'", parent.get_name(), verbs,
                         parent.get_name());
}

void print_json(const nlohmann::ordered_json& document) {
  const std::string text =
      document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  fmt::print("{}\n", text);
}

std::string help_footer(std::string_view examples) {
  return fmt::format("\n{}\n\n{}\n\n{}\n", examples, kExitCodes, environment_help());
}

CLI::Validator integer_in(std::int64_t lo, std::int64_t hi) {
  return CLI::Validator(
      [lo, hi](std::string& text) {
        std::int64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc{} && stop == end && value >= lo && value <= hi) return std::string();
        return fmt::format("'{}' must be an integer from {} to {}", text, lo, hi);
      },
      hi == std::numeric_limits<std::int64_t>::max() ? fmt::format(">= {}", lo)
                                                     : fmt::format("{} to {}", lo, hi));
}

void add_problem_options(CLI::App& verb, ProblemOptions& o, Sizes sizes, Target target) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const bool required = sizes == Sizes::kRequired;
  verb.add_option("M", o.m, "Rows of C, global also when A is split along M")
      ->required(required)
      ->check(integer_in(1, kLargest));
  verb.add_option("N", o.n, "Columns of C that one rank computes")
      ->required(required)
      ->check(integer_in(1, kLargest));
  verb.add_option("K", o.k, "Length of the dot products, global also when A is split along K")
      ->required(required)
      ->check(integer_in(1, kLargest));
  verb.add_option("--world-size", o.world_size, "Number of ranks")
      ->check(integer_in(1, 1024))
      ->capture_default_str();
  verb.add_option("--shard-dim", o.shard_dim,
                  "Dimension of A that is split over the ranks: m (each rank holds\n"
                  "[M/world_size, K]) or k (each rank holds [M, K/world_size])")
      ->capture_default_str();
  verb.add_option("--dtype", o.dtype, "Element type: f32, bf16, f16, fp8_e4m3")
      ->capture_default_str();
  verb.add_option("--layout", o.layout,
                  "Storage of A and B, row-major: nn, nt, tn, tt (t: stored transposed)")
      ->capture_default_str();
  verb.add_flag("--has-bias", o.has_bias, "Add one value per column of C");
  add_threads_option(verb, o.threads_per_rank);
  if (target == Target::kThisMachine) return;
  verb.add_option("--arch", o.arch,
                  "Chip to answer for: gfx942, mi300x, sm_90-132sm, cpu_avx2-25.1-t1, ...\n"
                  "[WEFT_ARCH, else this machine's CPU]");
  verb.add_option("--link", o.link,
                  "Link between the ranks: shm, device, host, emulated:<GB/s>, pcie, nvlink,\n"
                  "xgmi, net [the usual one of the chip]");
}

void add_threads_option(CLI::App& verb, std::int32_t& threads_per_rank) {
  verb.add_option("--threads-per-rank", threads_per_rank,
                  "CPU threads of each rank; part of a CPU's database key")
      ->check(integer_in(1, 256))
      ->capture_default_str();
}

Problem to_problem(const ProblemOptions& o) {
  Problem problem{.m = o.m,
                  .n = o.n,
                  .k = o.k,
                  .world_size = o.world_size,
                  .shard_dim = parse_shard_dim(o.shard_dim),
                  .dtype = parse_dtype(o.dtype),
                  .layout = parse_layout(o.layout),
                  .has_bias = o.has_bias};
  check_problem(problem);
  return problem;
}

TargetChip target_chip(const ProblemOptions& o) {
  TargetChip target;
  if (!o.arch.empty()) {
    target.arch = parse_arch(o.arch);
  } else if (const auto simulated = arch_from_environment()) {
    target.arch = *simulated;
  } else {
    target.arch = detect_cpu(o.threads_per_rank);
  }
  target.link = o.link.empty() ? default_link(target.arch) : o.link;
  config::check_link(target.link);
  return target;
}

void add_override_options(CLI::App& verb, OverrideOptions& o) {
  verb.add_option("--variant", o.variant,
                  "Insist on unfused, staged, copy_engine or direct, with a default configuration");
  verb.add_option("--config", o.config,
                  "Insist on a configuration, as JSON: {\"variant\": \"direct\", \"tile_m\": 256}");
}

SelectOptions to_select_options(const OverrideOptions& o) {
  SelectOptions options;
  if (!o.config.empty()) options.config = config::parse_fused_config(o.config, "--config");
  if (!o.variant.empty()) options.variant = parse_variant(o.variant);
  return options;
}

nlohmann::ordered_json problem_json(const Problem& p, const Arch& arch, std::string_view link) {
  return {{"m", p.m},
          {"n", p.n},
          {"k", p.k},
          {"world_size", p.world_size},
          {"shard_dim", to_string(p.shard_dim)},
          {"dtype", to_string(p.dtype)},
          {"layout", to_string(p.layout)},
          {"has_bias", p.has_bias},
          {"device", arch.device()},
          {"link", link}};
}

Table::Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void Table::add(std::vector<std::string> cells) {
  cells.resize(rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> width(columns, 0);
  std::vector<bool> right(columns, rows_.size() > 1);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      width[c] = std::max(width[c], rows_[r][c].size());
      if (r > 0 && !is_number_like(rows_[r][c])) right[c] = false;
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      line += right[c] ? fmt::format("{:>{}}", row[c], width[c])
                       : fmt::format("{:<{}}", row[c], width[c]);
      if (c + 1 < columns) line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace weft::cli
