// SPDX-License-Identifier: Apache-2.0
// What all verbs share: exit codes, the problem options, JSON and table output.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/weft.hpp"

namespace weft::cli {

/// Exit codes of every verb; `weft --help` prints the same list.
enum Exit : int {
  kOk = 0,            ///< done
  kCheckFailed = 1,   ///< a check failed: wrong results, a database with issues
  kUsage = 2,         ///< bad input: arguments, files, environment variables
  kRuntime = 3,       ///< device, timeout, I/O, unfit environment
  kInconclusive = 4,  ///< reserved for regression tests
};

/// The exit code that stands for an Error.
int exit_code(ErrorCode code) noexcept;

/// One variable that weft reads.
struct EnvironmentVariable {
  const char* name;
  const char* meaning;
};

/// All of them, as help pages list them.
std::span<const EnvironmentVariable> environment_variables();

/// Filled while the command line is parsed; a verb's callback runs last and sets `exit`.
struct Context {
  bool json = false;  ///< --json was given to the verb
  int exit = kOk;
};

/// Adds --json to a verb.
void add_json_option(CLI::App& verb, Context& context);

/// Refuses a command line on which `parent` has no verb below it; call after parsing.
/// @throws Error kInvalidArgument listing the verbs
void require_verb(const CLI::App& parent);

/// Writes one JSON document and a newline to standard output. Bytes that are not UTF-8 (a path, a
/// vendor's name) are replaced.
void print_json(const nlohmann::ordered_json& document);

/// Text of a help page's end: examples, then exit codes and environment variables.
std::string help_footer(std::string_view examples);

/// Accepts decimal integers in [lo, hi]; says value and range otherwise.
CLI::Validator integer_in(std::int64_t lo, std::int64_t hi);

/// The problem as the command line states it.
struct ProblemOptions {
  std::int64_t m = 0, n = 0, k = 0;
  std::int32_t world_size = 2;
  std::int32_t threads_per_rank = 1;
  std::string dtype{to_string(Problem{}.dtype)};
  std::string layout{to_string(Problem{}.layout)};
  std::string shard_dim{to_string(Problem{}.shard_dim)};
  bool has_bias = false;
  std::string arch;  ///< empty: WEFT_ARCH, else this machine's CPU
  std::string link;  ///< empty: the arch's default
};

enum class Sizes { kRequired, kOptional };
enum class Target { kAny, kThisMachine };  ///< whether --arch and --link are offered

/// Adds M N K and everything else that names a problem. `options` must outlive the parse.
void add_problem_options(CLI::App& verb, ProblemOptions& options, Sizes sizes, Target target);

/// Adds --threads-per-rank alone.
void add_threads_option(CLI::App& verb, std::int32_t& threads_per_rank);

/// @throws Error kInvalidArgument for unknown words and impossible sizes
Problem to_problem(const ProblemOptions& options);

/// The chip that a selection is asked for.
struct TargetChip {
  Arch arch;
  std::string link;
};

/// --arch, else WEFT_ARCH, else this machine's CPU; --link, else the arch's default.
/// @throws Error kInvalidArgument if the name stands for several devices
TargetChip target_chip(const ProblemOptions& options);

/// What the command line insists on.
struct OverrideOptions {
  std::string config;   ///< JSON; empty: not given
  std::string variant;  ///< empty: not given
};

/// Adds --config and --variant. `options` must outlive the parse.
void add_override_options(CLI::App& verb, OverrideOptions& options);

/// Without the environment: see options_from_environment.
/// @throws Error kInvalidArgument naming the option
SelectOptions to_select_options(const OverrideOptions& options);

/// {m, n, k, world_size, shard_dim, dtype, layout, has_bias, device, link}.
nlohmann::ordered_json problem_json(const Problem& problem, const Arch& arch,
                                    std::string_view link);

/// Rows of text under a header, columns padded to their widest cell.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  /// @param cells  one a column of the header
  void add(std::vector<std::string> cells);
  /// Columns whose cells all start with a digit, a sign or '-' are set flush right.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weft::cli
