// SPDX-License-Identifier: Apache-2.0
// weft select: what would run for a problem, and why.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "config/fused_config_json.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace weft::cli {
namespace {

constexpr const char* kPurpose =
    "Say which variant and configuration weft would run for a problem, and why. Nothing is run,\n"
    "so the chip need not be here. Rungs are asked in order: override, exact, nearest, model,\n"
    "fallback; the first that answers decides, and without evidence the answer is `unfused`.";

constexpr const char* kExamples =
    "Examples:\n"
    "  weft select 8192 128 4096 --world-size 2\n"
    "  weft select 131072 16384 16384 --world-size 8 --arch gfx942 --dtype f16 --shard-dim k\n"
    "  weft select 130000 16384 16384 --world-size 8 --arch mi300x --dtype f16 --explain\n"
    "JSON: {problem, variant, source, reason, config, entry, guard, bound_used, distance, layer,\n"
    "rungs}; entry holds the stored configuration also when the variant is unfused.";

struct Options {
  ProblemOptions problem;
  OverrideOptions overrides;
  bool explain = false;
};

std::string explanation(const Selection& s) {
  std::string text = "rungs\n";
  for (const RungReport& r : s.rungs) {
    text += fmt::format("  {:<9} {:<9} {}: {}\n", to_string(r.rung),
                        r.answered ? "answered" : "passed", r.reason, r.text);
  }
  return text;
}

void print_text(const Problem& problem, const TargetChip& chip, const Selection& s, bool explain) {
  std::string text = line("problem", to_string(problem)) +
                     line("device", fmt::format("{} over {}", chip.arch.device(), chip.link)) +
                     selection_text(s);
  if (s.config) {
    text += "configuration\n" + config_text(*s.config);
  } else if (s.entry) {
    text += "stored configuration (not used)\n" + config_text(s.entry->entry.config);
  }
  if (explain) text += explanation(s);
  fmt::print("{}", text);
}

int run_select(const Options& options, bool json) {
  const Problem problem = to_problem(options.problem);
  const TargetChip chip = target_chip(options.problem);
  const SelectOptions overrides = options_from_environment(to_select_options(options.overrides));
  const std::shared_ptr<ConfigDatabase> database = ConfigDatabase::open_default();
  const Selection s =
      select_config(problem, chip.arch, chip.link, *database, overrides, current_environment());
  if (!json) {
    print_text(problem, chip, s, options.explain);
    return kOk;
  }
  nlohmann::ordered_json document{{"problem", problem_json(problem, chip.arch, chip.link)}};
  document.update(selection_json(s));
  print_json(document);
  return kOk;
}

}  // namespace

void add_select(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("select", kPurpose);
  auto options = std::make_shared<Options>();
  add_problem_options(*verb, options->problem, Sizes::kRequired, Target::kAny);
  add_override_options(*verb, options->overrides);
  verb->add_flag("--explain", options->explain, "Print every rung that was asked and its answer");
  add_json_option(*verb, context);
  verb->footer(help_footer(kExamples));
  verb->callback([&context, options] { context.exit = run_select(*options, context.json); });
}

}  // namespace weft::cli
