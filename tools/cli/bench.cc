// SPDX-License-Identifier: Apache-2.0
// weft bench: measures problems, and records what it finds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <vector>

#include "arch/detect.hpp"
#include "bench_table.hpp"
#include "core/message.hpp"
#include "kernels/cpu/micro_kernel.hpp"
#include "ops/agree.hpp"
#include "ops/machine.hpp"
#include "ops/results.hpp"
#include "progress.hpp"
#include "tune/model_layers.hpp"
#include "tune/space.hpp"
#include "verbs.hpp"

namespace weft::cli {
namespace {

constexpr const char* kPurpose =
    "Measure fused against unfused on ranks of this process (threads, on the CPU): one problem, "
    "or\n"
    "every tensor-parallel linear layer of a model. Without --record what is chosen from the\n"
    "evidence so far is measured against the strongest unfused form. With --record all fused\n"
    "candidates are screened, the best is measured on 11 fresh pairs against the strongest "
    "unfused\n"
    "form, and the result is written to the user's database, losses too: the next run chooses by\n"
    "it. Shapes with fresh evidence are not measured again. docs/performance.md defines every\n"
    "column.";

constexpr const char* kExamples =
    "Examples:\n"
    "  weft bench --record --model examples/models/llama-3.1-8b.json --tp 2 --tokens 256\n"
    "  weft bench --model config.json --tp 2 --tokens 256 --layers k,v\n"
    "  weft bench 8192 128 4096 --record --force\n"
    "  weft bench 8192 128 4096 --variant direct --json\n"
    "JSON: {meta, rows}, the format of bench/results.";

// Without --seconds: what a run aims at. Only repetitions that are not needed are left out for it.
constexpr double kRecordSeconds = 150, kRunSeconds = 60;

struct Options {
  ProblemOptions problem;
  OverrideOptions overrides;
  std::string model;
  std::int64_t tokens = 256;
  std::vector<std::string> layers;
  bool record = false, force = false;
  std::int32_t rounds = 3;
  double seconds = 0;  // 0: not given
};

struct Work {
  std::string name, note;
  Problem problem;
};

double now() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(t).count();
}

std::vector<Work> layers_of_model(const Options& o) {
  const std::set<std::string> wanted(o.layers.begin(), o.layers.end());
  const tune::ModelConfig model = tune::read_model_config(o.model);
  std::vector<Work> work;
  std::string names;
  std::set<std::string> unknown = wanted;
  for (const tune::Layer& layer : tune::layers(model, o.problem.world_size, o.tokens,
                                               {.dtype = parse_dtype(o.problem.dtype),
                                               .layout = parse_layout(o.problem.layout),
                                               .lm_head = wanted.contains("lm_head")})) {
    names += (names.empty() ? "" : ", ") + layer.name;
    unknown.erase(layer.name);
    if (!wanted.empty() && !wanted.contains(layer.name)) continue;
    work.push_back({layer.name, layer.note, layer.problem});
  }
  if (!unknown.empty()) {
    throw invalid_argument(
        "--layers names '{}', which {} has not; it has {}, and lm_head if asked "
        "for",
        *unknown.begin(), o.model, names);
  }
  return work;
}

std::vector<Work> work_of(const Options& o) {
  if (!o.model.empty()) return layers_of_model(o);
  if (o.problem.m == 0 || o.problem.n == 0 || o.problem.k == 0) {
    throw invalid_argument("nothing to measure; name M N K, or a model with --model config.json");
  }
  return {{"-", "", to_problem(o.problem)}};
}

/// The command that does the same, for the records.
std::string command_text(const Options& o) {
  std::string text = "weft bench";
  if (o.record) text += " --record";
  if (o.model.empty()) {
    text += fmt::format(" {} {} {} --shard-dim {}", o.problem.m, o.problem.n, o.problem.k,
                        o.problem.shard_dim);
    if (o.problem.has_bias) text += " --has-bias";
  } else {
    text += fmt::format(" --model {} --tokens {}", o.model, o.tokens);
    if (!o.layers.empty()) text += fmt::format(" --layers {}", fmt::join(o.layers, ","));
  }
  return text + fmt::format(
                    " --world-size {} --threads-per-rank {} --dtype {} --layout {} "
                    "--rounds {}",
                    o.problem.world_size, o.problem.threads_per_rank, o.problem.dtype,
                    o.problem.layout, o.rounds);
}

/// Refuses machines and settings on which a ratio would mean nothing.
void check_fit(const Options& o, const SelectOptions& insisted) {
  if (cpu::micro_kernel_is_generic()) {
    throw unsupported(
        "the micro-kernel is {}, a generic one: any gain against it would be false; "
        "use a CPU with AVX2, or a library that knows this one",
        cpu::micro_kernel_name());
  }
  const bool fused = o.record || insisted.config.has_value() ||
                     (insisted.variant && *insisted.variant != Variant::kUnfused);
  if (const auto simulated = arch_from_environment(); simulated && fused) {
    throw unsupported(
        "WEFT_ARCH simulates {}, and bench measures fused variants on this machine "
        "only; unset WEFT_ARCH",
        simulated->device());
  }
}

/// Measures one work item after the other and keeps the user informed.
class Bench {
 public:
  Bench(const Options& options, const SelectOptions& insisted, std::vector<Work> work)
      : options_(options),
        insisted_(insisted),
        work_(std::move(work)),
        world_(World::local(options.problem.world_size, options.problem.threads_per_rank)),
        arch_(detect_cpu(options.problem.threads_per_rank)),
        link_(default_link(arch_)),
        database_(ConfigDatabase::open_default()),
        environment_(current_environment()),
        begin_(now()) {}

  std::vector<BenchRow> run() {
    std::vector<std::optional<Entry>> known;
    for (const Work& w : work_) {
      known.push_back(options_.record && !options_.force ? fresh_entry(w.problem) : std::nullopt);
      if (!known.back()) total_ += weight(w.problem);
    }
    std::vector<BenchRow> rows;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      current_ = &work_[i];
      rows.push_back(known[i] ? stored_row(work_[i], *known[i]) : measured_row(work_[i]));
      if (!known[i]) done_ += weight(work_[i].problem);
    }
    // What was recorded last may decide about shapes measured first.
    database_->reload();
    for (BenchRow& row : rows) row.selection = choose(row.measured.problem);
    progress_.clear();
    return rows;
  }

  [[nodiscard]] BenchRun facts() const {
    BenchRun run;
    run.what = options_.model.empty()
                   ? "1 problem"
                   : fmt::format("{}: {} layers, tp {}, {} tokens", options_.model, work_.size(),
                                 options_.problem.world_size, options_.tokens);
    run.device = arch_.device();
    run.link = link_;
    run.micro_kernel = cpu::micro_kernel_name();
    run.world_size = options_.problem.world_size;
    run.threads_per_rank = options_.problem.threads_per_rank;
    run.cores = ops::num_usable_cores();
    run.record = options_.record;
    run.root = user_database_root().string();
    for (const Work& w : work_) {
      const std::string file = key(w.problem).relative_path();
      std::error_code unreadable;
      if (std::filesystem::exists(user_database_root() / file, unreadable) &&
          std::find(run.files.begin(), run.files.end(), file) == run.files.end()) {
        run.files.push_back(file);
      }
    }
    return run;
  }

  [[nodiscard]] const Arch& arch() const noexcept { return arch_; }

 private:
  /// Expected share of the time: the product, and what every problem costs.
  static double weight(const Problem& p) {
    constexpr double kFixed = 5e8;
    return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) + kFixed;
  }

  [[nodiscard]] DatabaseKey key(const Problem& p) const { return database_key(p, arch_, link_); }

  /// Measured evidence about this very shape that nothing has outdated.
  std::optional<Entry> fresh_entry(const Problem& p) {
    const std::shared_ptr<const KeyEntries> known = database_->find(key(p));
    for (const FoundEntry& found : known->entries) {
      const Entry& e = found.entry;
      const bool measured = e.stage == EntryStage::kConfirmed || e.stage == EntryStage::kPromoted;
      if (e.m == p.m && e.n == p.n && e.k == p.k && measured &&
          evidence_age(found.environment, environment_) == EvidenceAge::kFresh) {
        return e;
      }
    }
    return std::nullopt;
  }

  /// As a Plan would.
  Selection choose(const Problem& problem) {
    Selection selection;
    world_.run([&](Rank& rank) {
      if (rank.rank() == 0) selection = ops::choose(rank, problem, insisted_, *database_);
    });
    return selection;
  }

  BenchRow stored_row(const Work& w, const Entry& entry) {
    BenchRow row;
    row.name = w.name;
    row.note = w.note;
    row.stored = true;
    row.measured = ops::from_entry(w.problem, entry);
    return row;
  }

  BenchRow measured_row(const Work& w) {
    ops::MeasureOptions measure;
    if (options_.record) {
      measure.candidates = tune::cpu_candidates(w.problem, arch_);
    } else if (const Selection selection = choose(w.problem); selection.config) {
      measure.candidates = {*selection.config};
    }
    measure.rounds = options_.rounds;
    measure.stop_when_over = options_.seconds > 0;
    const double budget = options_.seconds > 0 ? options_.seconds
                          : options_.record    ? kRecordSeconds
                                               : kRunSeconds;
    measure.seconds =
        std::max(0.0, budget - (now() - begin_)) * weight(w.problem) / (total_ - done_);
    measure.progress = [this](const ops::MeasureProgress& at) { report(at); };
    report({"starting", 0, 1, 0});
    BenchRow row;
    row.name = w.name;
    row.note = w.note;
    row.measured = ops::measure(world_, w.problem, measure);
    if (options_.record && row.measured.config) {
      merge_entries(user_database_root(), key(w.problem),
                    {ops::to_entry(row.measured, ops::utc_now())}, environment_,
                    command_text(options_));
    }
    return row;
  }

  void report(const ops::MeasureProgress& at) {
    // Where a problem stands when a phase begins; measured on one machine, good enough for a guess.
    constexpr std::pair<std::string_view, double> kBegins[] = {
        {"warm-up", 0.05}, {"noise floor", 0.15}, {"screening", 0.45},
        {"check", 0.70},   {"pairs", 0.75},       {"unfused", 0.60}};
    double part = 0;
    for (const auto& [phase, begin] : kBegins) {
      if (phase == at.phase) part = begin;
    }
    const double fraction = (done_ + part * weight(current_->problem)) / total_;
    const std::size_t index = static_cast<std::size_t>(current_ - work_.data()) + 1;
    std::string text = fmt::format("{}/{} {} {}: {}", index, work_.size(), current_->name,
                                   to_string(current_->problem), at.phase);
    if (at.total > 1) text += fmt::format(" {}/{}", at.done, at.total);
    if (at.speedup > 0) text += fmt::format(", best {:.2f}x", at.speedup);
    if (at.noise_floor > 0) text += fmt::format(", noise {:.1f} %", at.noise_floor * 100);
    if (fraction > 0.02) text += ", " + time_left(now() - begin_, fraction);
    progress_.update(text);
  }

  const Options& options_;
  const SelectOptions& insisted_;
  std::vector<Work> work_;
  World world_;
  Arch arch_;
  std::string link_;
  std::shared_ptr<ConfigDatabase> database_;
  Environment environment_;
  ProgressLine progress_{stderr};
  double begin_;
  double total_ = 0, done_ = 0;  // weights
  const Work* current_ = nullptr;
};

int run_bench(const Options& options, bool json) {
  const SelectOptions insisted = to_select_options(options.overrides);
  check_fit(options, options_from_environment(insisted));
  Bench bench(options, insisted, work_of(options));
  if (!json) {
    fmt::print("{}", bench_header(bench.facts()));
    std::fflush(stdout);
  }
  const std::vector<BenchRow> rows = bench.run();
  const BenchRun facts = bench.facts();
  if (json) {
    print_json(bench_json(facts, rows, command_text(options), bench.arch()));
  } else {
    fmt::print("\n{}\n{}", bench_table(facts, rows), bench_summary(facts, rows));
  }
  const bool correct = std::all_of(rows.begin(), rows.end(),
                                   [](const BenchRow& row) { return row.measured.correct; });
  return correct ? kOk : kCheckFailed;
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("bench", kPurpose);
  auto options = std::make_shared<Options>();
  add_problem_options(*verb, options->problem, Sizes::kOptional, Target::kThisMachine);
  add_override_options(*verb, options->overrides);
  CLI::Option* model = verb->add_option("--model", options->model,
                                        "A Hugging Face config.json, or its folder: measure its "
                                        "layers");
  for (const char* name : {"M", "N", "K", "--shard-dim", "--has-bias"}) {
    model->excludes(verb->get_option(name));
  }
  verb->add_option("--tp", options->problem.world_size,
                   "Ranks that share the model's layers: another name of --world-size")
      ->check(integer_in(1, 1024))
      ->excludes("--world-size");
  verb->add_option("--tokens", options->tokens, "Rows of the model's activations")
      ->check(integer_in(1, std::int64_t{1} << 31))
      ->capture_default_str()
      ->needs(model);
  verb->add_option("--layers", options->layers,
                   "Only these, comma-separated: qkv,q,k,v,o,gate_up,down,lm_head [all but "
                   "lm_head]")
      ->delimiter(',')
      ->needs(model);
  CLI::Option* record = verb->add_flag("--record", options->record,
                                       "Screen all candidates and write the best to the user's "
                                       "database");
  record->excludes("--config")->excludes("--variant");
  verb->add_flag("--force", options->force, "With --record: measure shapes with fresh evidence too")
      ->needs(record);
  verb->add_option("--rounds", options->rounds, "Screening rounds")
      ->check(integer_in(1, 100))
      ->capture_default_str();
  verb->add_option("--seconds", options->seconds,
                   "Stop measuring after this time; a problem with fewer than 11 pairs then stays\n"
                   "screened, and screened evidence chooses nothing [as long as 11 pairs take]")
      ->check(CLI::PositiveNumber);
  add_json_option(*verb, context);
  verb->footer(help_footer(kExamples));
  verb->callback([&context, options] { context.exit = run_bench(*options, context.json); });
}

}  // namespace weft::cli
