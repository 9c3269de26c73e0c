// SPDX-License-Identifier: Apache-2.0
// Every rank runs the same Session in step. All decisions depend on numbers that are the maximum
// over the ranks, so that the ranks decide alike.
#include "ops/measure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>

#include "core/message.hpp"
#include "ops/cpu_call.hpp"
#include "ops/machine.hpp"
#include "ops/operands.hpp"
#include "ops/unfused.hpp"
#include "tune/reference.hpp"

namespace weft::ops {
namespace {

constexpr std::array kForms{UnfusedForm::kStridedCopy, UnfusedForm::kGatherRelayout,
                            UnfusedForm::kGatherPerShard};
constexpr std::int64_t kCheckedRows = 16;
constexpr std::uint64_t kRowSeed = 1;
// Warm-up: at least this long, until neighbouring samples agree, at most the latter.
constexpr double kWarmUpSeconds = 0.15, kLongestWarmUpSeconds = 1.0, kSteady = 0.03;
// A sample lasts at least this long: short calls are repeated inside it.
constexpr double kSampleSeconds = 500e-6;
constexpr std::int32_t kMaxRepeats = 64;
// The noise floor may take this share of the time; the numbers of A/A pairs it may fall back to.
constexpr double kFloorShare = 0.3;
constexpr std::array<std::int32_t, 3> kFloorPairs{21, 11, 6};
// Calls this long need no warm-up of their own: what it saves is lost in them.
constexpr double kLongCallSeconds = 0.02;
constexpr int kUnfusedTeam = 0, kFusedTeam = 1;

double now() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(t).count();
}

/// One thing that can be timed.
struct Arm {
  std::function<void(const RunArgs&)> run;
  std::int32_t repeats = 1;  // calls a sample
};

class Session {
 public:
  Session(Rank& rank, const Problem& problem, const MeasureOptions& options, Operands& operands)
      : rank_(rank),
        problem_(problem),
        options_(options),
        operands_(operands),
        begin_(now()),
        time_([this](std::size_t arm) { return time(arm); }) {}

  Measurement run() {
    report("operands", 0, 1);
    operands_.allocate(rank_.rank());
    make_arms();
    warm_up();
    MeasureSamples samples;
    if (fused_.empty()) return unfused_only(samples);
    samples.floor_ratios = floor();
    noise_floor_ = tune::noise_floor(samples.floor_ratios);
    const std::size_t best_unfused = screen();
    const std::size_t rival = options_.against_product ? gemm_arm_ : best_unfused;
    const Correctness correct = check(best_fused_);
    if (correct.ok) {
      measure_pairs(samples, rival);
      if (tune::lag1_correlation(samples.pairs.ratios) > tune::kMaxLag1Correlation &&
          elapsed() < options_.seconds) {
        measure_pairs(samples, rival);
      }
    }
    Measurement m = finish(samples, best_unfused, correct);
    m.config = options_.candidates[best_fused_ - kForms.size()];
    m.workspace_bytes = fused_[best_fused_ - kForms.size()]->bytes();
    return m;
  }

 private:
  struct Correctness {
    bool ok = true;
    double max_rel_err = 0;
  };

  void make_arms() {
    for (const UnfusedForm form : kForms) {
      unfused_.push_back(std::make_unique<Unfused>(rank_, problem_, form));
      arms_.push_back({[u = unfused_.back().get()](const RunArgs& args) { u->run(args); }});
      teams_.push_back(kUnfusedTeam);
    }
    for (const FusedConfig& config : options_.candidates) {
      fused_.push_back(std::make_unique<CpuFused>(rank_.endpoint(), problem_, config, nullptr));
      arms_.push_back({[f = fused_.back().get()](const RunArgs& args) { f->run(args); }});
      teams_.push_back(kFusedTeam);
    }
    // The unsplit product is that of the first form. The gather follows the strongest form.
    gemm_arm_ = arms_.size();
    arms_.push_back({[u = unfused_[0].get()](const RunArgs& args) { u->product(args); }});
    gather_arm_ = arms_.size();
    arms_.push_back({[this](const RunArgs& args) { unfused_[gather_form_]->gather(args); }});
  }

  /// Seconds since the measurement began, on the slowest rank.
  double elapsed() { return rank_.all_reduce_max(now() - begin_); }

  double time(std::size_t index) {
    const Arm& arm = arms_[index];
    rank_.barrier();
    const double begin = now();
    for (std::int32_t i = 0; i < arm.repeats; ++i) {
      arm.run(operands_.args(rank_.rank(), calls_++));
    }
    return rank_.all_reduce_max(now() - begin) / arm.repeats;
  }

  void report(std::string_view phase, std::int64_t done, std::int64_t total) const {
    if (rank_.rank() == 0 && options_.progress) {
      options_.progress({phase, done, total, best_speedup_, noise_floor_});
    }
  }

  /// Runs the first form until its time is steady, then every arm once if calls are short.
  void warm_up() {
    const double begin = elapsed();
    double previous = time(0);
    for (int agreeing = 0;;) {
      report("warm-up", 0, 1);
      const double current = time(0);
      agreeing = std::abs(current - previous) <= kSteady * previous ? agreeing + 1 : 0;
      previous = current;
      const double spent = elapsed() - begin;
      if (spent >= kLongestWarmUpSeconds || (spent >= kWarmUpSeconds && agreeing >= 2)) break;
    }
    if (previous > kLongCallSeconds) return;
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      report("warm-up", static_cast<std::int64_t>(arm), static_cast<std::int64_t>(arms_.size()));
      const double repeats = std::ceil(kSampleSeconds / std::max(time(arm), 1e-9));
      arms_[arm].repeats = static_cast<std::int32_t>(std::clamp<double>(repeats, 1, kMaxRepeats));
    }
  }

  /// The same form on both sides of a pair.
  std::vector<double> floor() {
    std::int32_t pairs = kFloorPairs.front();
    const double begin = elapsed();
    const auto go_on = [&](std::int32_t done) {
      const double each = (elapsed() - begin) / done;
      for (const std::int32_t fewer : kFloorPairs) {
        if (each * pairs > kFloorShare * options_.seconds) pairs = std::min(pairs, fewer);
      }
      report("noise floor", done, pairs);
      return done < pairs;
    };
    return tune::run_pairs(time_, 0, 0, pairs, go_on).ratios;
  }

  /// Finds the best arm of each team; returns the unfused one.
  std::size_t screen() {
    const auto report_it = [&](std::size_t done, std::size_t total) {
      report("screening", static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
    };
    const tune::Screening screening =
        tune::screen(time_, teams_, options_.rounds, tune::Cut{}, report_it);
    const std::size_t unfused = screening.best(teams_, kUnfusedTeam);
    gather_form_ = unfused;
    if (!fused_.empty()) {
      best_fused_ = screening.best(teams_, kFusedTeam);
      best_speedup_ =
          tune::median(screening.samples[unfused]) / tune::median(screening.samples[best_fused_]);
    }
    return unfused;
  }

  /// Runs the arm on a poisoned C and compares it with the reference.
  Correctness check(std::size_t arm) {
    report("check", 0, 1);
    const std::int64_t call = calls_++;
    operands_.poison(rank_.rank(), call);
    arms_[arm].run(operands_.args(rank_.rank(), call));
    const auto rows = tune::sample_rows(problem_, kCheckedRows, kRowSeed);
    const tune::RowCheck found = tune::check_rows(operands_.checked(rank_.rank(), call), rows);
    Correctness all;
    all.max_rel_err = rank_.all_reduce_max(found.max_rel_err);
    all.ok = rank_.all_reduce_max(found.within_bound ? 0 : 1) == 0;
    return all;
  }

  void sample_halves(MeasureSamples& samples) {
    samples.gemm.push_back(time(gemm_arm_));
    samples.gather.push_back(time(gather_arm_));
  }

  void measure_pairs(MeasureSamples& samples, std::size_t rival) {
    samples.gemm.clear();
    samples.gather.clear();
    const auto go_on = [&](std::int32_t done) {
      if (done % 2 == 1) sample_halves(samples);  // six of eleven tell enough
      report("pairs", done, options_.pairs);
      return !options_.stop_when_over || elapsed() < options_.seconds;
    };
    samples.pairs = tune::run_pairs(time_, best_fused_, rival, options_.pairs, go_on);
  }

  Measurement unfused_only(MeasureSamples& samples) {
    const std::size_t best = screen();
    const Correctness correct = check(best);
    for (std::int32_t done = 0; done < options_.pairs; ++done) {
      samples.pairs.b.push_back(time(best));
      sample_halves(samples);
      report("unfused", done + 1, options_.pairs);
      if (options_.stop_when_over && elapsed() > options_.seconds) break;
    }
    return finish(samples, best, correct);
  }

  [[nodiscard]] Measurement finish(const MeasureSamples& samples, std::size_t best_unfused,
                                   const Correctness& correct) const {
    Measurement m = summarize(samples);
    m.problem = problem_;
    m.unfused_form = kForms[best_unfused];
    m.candidates = static_cast<std::int32_t>(options_.candidates.size());
    m.max_rel_err = correct.max_rel_err;
    m.correct = correct.ok;
    return m;
  }

  Rank& rank_;
  const Problem& problem_;
  const MeasureOptions& options_;
  Operands& operands_;
  double begin_;
  tune::TimeArm time_;
  std::vector<std::unique_ptr<Unfused>> unfused_;
  std::vector<std::unique_ptr<CpuFused>> fused_;
  std::vector<Arm> arms_;   // forms, candidates, product, gather
  std::vector<int> teams_;  // of forms and candidates
  std::size_t gemm_arm_ = 0, gather_arm_ = 0, gather_form_ = 0, best_fused_ = 0;
  std::int64_t calls_ = 0;
  double best_speedup_ = 0, noise_floor_ = 0;
};

}  // namespace

Measurement measure(World& world, const Problem& problem, const MeasureOptions& options) {
  check_problem(problem);
  if (problem.world_size != world.world_size()) {
    throw invalid_argument("world_size={} must be the {} ranks of the World", problem.world_size,
                           world.world_size());
  }
  if (problem.dtype != DType::kF32 && problem.dtype != DType::kBf16) {
    throw unsupported("dtype {} does not run on the CPU, so it cannot be measured; use f32 or bf16",
                      to_string(problem.dtype));
  }
  if (options.rounds < 1 || options.pairs < 1) {
    throw invalid_argument("rounds={} and pairs={} must be at least 1", options.rounds,
                           options.pairs);
  }
  constexpr std::int64_t kMemoryShare = 4;
  Operands operands(problem,
                    num_operand_sets(Operands::set_bytes(problem), last_level_cache_bytes(),
                                     available_memory_bytes() / kMemoryShare));
  Measurement result;
  world.run([&](Rank& rank) {
    Measurement m = Session(rank, problem, options, operands).run();
    if (rank.rank() == 0) result = std::move(m);
  });
  return result;
}

}  // namespace weft::ops
