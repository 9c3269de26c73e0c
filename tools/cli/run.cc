// SPDX-License-Identifier: Apache-2.0
// weft run: one problem on the ranks of this process, checked against a product in f64.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "arch/detect.hpp"
#include "core/message.hpp"
#include "output_file.hpp"
#include "report.hpp"
#include "run_data.hpp"
#include "tune/statistics.hpp"
#include "verbs.hpp"

namespace weft::cli {
namespace {

constexpr const char* kPurpose =
    "Run one problem on world_size ranks of this process (threads, on the CPU), with the variant\n"
    "that weft chooses, and check C of every rank against a product in f64 on sampled rows: "
    "first,\n"
    "last, both sides of each shard edge, and random ones.";

constexpr const char* kExamples =
    "Examples:\n"
    "  weft run 8192 128 4096 --world-size 2\n"
    "  weft run 512 64 1024 --a a.npy --b b.npy --bias bias.npy --c c.npy\n"
    "  weft run 512 256 16384 --variant staged --trace out.json\n"
    "Files are .npy with little-endian f32 in C order. A is whole and is cut into shards; B and\n"
    "bias are the same for every rank; C is rank 0's. With --dtype bf16 inputs are rounded to "
    "bf16\n"
    "and C is written as f32, which holds the same values. A trace opens in ui.perfetto.dev.";

constexpr std::int64_t kCheckedRows = 16;

struct Options {
  ProblemOptions problem;
  OverrideOptions overrides;
  RunFiles files;
  std::string trace;
  std::uint64_t seed = 1;
  std::int32_t iterations = 5;
};

/// Records only while switched on: the last call of many.
class SwitchedSink : public TraceSink {
 public:
  void record(const TraceEvent& event) override {
    if (on_.load(std::memory_order_relaxed)) recorder_.record(event);
  }
  void switch_on() { on_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] const TraceRecorder& recorder() const { return recorder_; }

 private:
  std::atomic<bool> on_{false};
  TraceRecorder recorder_;
};

struct Outcome {
  Selection selection;
  std::vector<double> seconds;  ///< of each call, maximum over the ranks
  tune::RowCheck check;         ///< the worst of the ranks
  std::int32_t checked_rank = 0;
  std::size_t num_rows = 0;
};

/// A simulated chip runs nothing fused, so insisting on it is refused.
void check_simulation(const SelectOptions& insisted) {
  const std::optional<Arch> simulated = arch_from_environment();
  if (!simulated) return;
  const bool fused =
      insisted.config || (insisted.variant && *insisted.variant != Variant::kUnfused);
  if (fused) {
    throw unsupported(
        "WEFT_ARCH simulates {}, and fused variants do not run on a simulated chip; "
        "unset WEFT_ARCH, or insist on --variant unfused",
        simulated->device());
  }
}

void run_rank(Rank& rank, const Problem& problem, const Options& options, RunData& data,
              const PlanOptions& plan_options, SwitchedSink& sink, Outcome& outcome) {
  Plan plan(rank, problem, plan_options);
  const RunArgs args = data.args(rank.rank());
  plan.settle(args);  // also warms up
  for (std::int32_t i = 0; i < options.iterations; ++i) {
    if (i + 1 == options.iterations) {
      rank.barrier();
      if (rank.rank() == 0) {
        data.poison();
        sink.switch_on();
      }
    }
    rank.barrier();
    const auto begin = std::chrono::steady_clock::now();
    plan.run(args);
    const std::chrono::duration<double> own = std::chrono::steady_clock::now() - begin;
    const double slowest = rank.all_reduce_max(own.count());
    if (rank.rank() == 0) outcome.seconds.push_back(slowest);
  }
  if (rank.rank() == 0) outcome.selection = plan.selection();
}

void check_results(const Problem& problem, const RunData& data, std::uint64_t seed,
                   Outcome& outcome) {
  const std::vector<std::int64_t> rows = tune::sample_rows(problem, kCheckedRows, seed);
  outcome.num_rows = rows.size();
  for (std::int32_t rank = 0; rank < problem.world_size; ++rank) {
    const tune::RowCheck found = tune::check_rows(data.checked(rank), rows);
    const bool worse = !found.within_bound && outcome.check.within_bound;
    const bool same_verdict = found.within_bound == outcome.check.within_bound;
    if (worse || (same_verdict && found.max_rel_err > outcome.check.max_rel_err)) {
      outcome.check = found;
      outcome.checked_rank = rank;
    }
  }
}

tune::Bounds extremes(const std::vector<double>& values) {
  return {*std::min_element(values.begin(), values.end()),
          *std::max_element(values.begin(), values.end())};
}

void print_outcome(const Problem& problem, const Options& options, const TargetChip& chip,
                   const Outcome& o) {
  const tune::Bounds range = extremes(o.seconds);
  std::string text = line("problem", to_string(problem)) +
                     line("device", fmt::format("{} over {}", chip.arch.device(), chip.link)) +
                     selection_text(o.selection);
  if (o.selection.config) text += line("config", to_string(*o.selection.config));
  text += line("time", fmt::format("{:.1f} us [{:.1f} {:.1f}], median of {} calls",
                                   tune::median(o.seconds) * 1e6, range.lo * 1e6, range.hi * 1e6,
                                   o.seconds.size()));
  text +=
      line("error", fmt::format("{:.2e} of the largest |C| on {} rows, {}", o.check.max_rel_err,
                                o.num_rows, o.check.within_bound ? "as rounding allows" : "WRONG"));
  if (!options.files.c.empty()) text += line("c", options.files.c);
  if (!options.trace.empty()) text += line("trace", options.trace);
  fmt::print("{}", text);
}

void print_outcome_json(const Problem& problem, const Options& options, const TargetChip& chip,
                        const Outcome& o) {
  const tune::Bounds range = extremes(o.seconds);
  const auto path = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  nlohmann::ordered_json document{{"problem", problem_json(problem, chip.arch, chip.link)}};
  document.update(selection_json(o.selection));
  document["time_us"] = {{"median", tune::median(o.seconds) * 1e6},
                         {"min", range.lo * 1e6},
                         {"max", range.hi * 1e6},
                         {"calls", o.seconds.size()}};
  document["max_rel_err"] = o.check.max_rel_err;
  document["correct"] = o.check.within_bound;
  document["checked_rows"] = o.num_rows;
  document["c"] = path(options.files.c);
  document["trace"] = path(options.trace);
  print_json(document);
}

int run_run(Options options, bool json) {
  options.problem.has_bias |= !options.files.bias.empty();
  const Problem problem = to_problem(options.problem);
  PlanOptions plan_options;
  plan_options.select = to_select_options(options.overrides);
  check_simulation(options_from_environment(plan_options.select));
  World world = World::local(problem.world_size, options.problem.threads_per_rank);
  RunData data(problem, options.problem.threads_per_rank, options.files, options.seed);

  SwitchedSink sink;
  if (!options.trace.empty()) plan_options.trace = &sink;
  Outcome outcome;
  world.run(
      [&](Rank& rank) { run_rank(rank, problem, options, data, plan_options, sink, outcome); });
  check_results(problem, data, options.seed, outcome);

  if (!options.files.c.empty()) data.write_c(options.files.c);
  if (!options.trace.empty()) {
    std::ostringstream text;
    sink.recorder().write_json(text);
    OutputFile file(options.trace);
    file.write(text.view());
    file.commit();
  }
  const TargetChip chip = target_chip(options.problem);
  (json ? print_outcome_json : print_outcome)(problem, options, chip, outcome);
  if (outcome.check.within_bound) return kOk;
  fmt::print(stderr,
             "weft: C[{}, {}] of rank {} is {}, the reference {}: more than rounding explains; "
             "please report this\n",
             outcome.check.worst_row, outcome.check.worst_col, outcome.checked_rank,
             outcome.check.worst_value, outcome.check.worst_expected);
  return kCheckFailed;
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("run", kPurpose);
  auto options = std::make_shared<Options>();
  add_problem_options(*verb, options->problem, Sizes::kRequired, Target::kThisMachine);
  add_override_options(*verb, options->overrides);
  verb->add_option("--a", options->files.a, "A from this .npy file [random]");
  verb->add_option("--b", options->files.b, "B from this .npy file [random]");
  verb->add_option("--bias", options->files.bias,
                   "bias from this .npy file [random with --has-bias, else none]");
  verb->add_option("--c", options->files.c, "Write C to this .npy file [not written]");
  verb->add_option("--seed", options->seed, "Seed of random operands and of the rows looked at")
      ->check(integer_in(0, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  verb->add_option("--iterations", options->iterations, "Timed calls, after one to warm up")
      ->check(integer_in(1, 1000000))
      ->capture_default_str();
  verb->add_option("--trace", options->trace,
                   "Write a Chrome/Perfetto timeline of the last call to this file [none]");
  add_json_option(*verb, context);
  verb->footer(help_footer(kExamples));
  verb->callback([&context, options] { context.exit = run_run(*options, context.json); });
}

}  // namespace weft::cli
