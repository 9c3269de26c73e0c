// SPDX-License-Identifier: Apache-2.0
// Validate, select, agree between the ranks, allocate; then run one variant per call.
#include "weft/plan.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "core/log.hpp"
#include "core/words.hpp"
#include "ops/agree.hpp"
#include "ops/check_args.hpp"
#include "ops/cpu_call.hpp"
#include "ops/guard.hpp"
#include "ops/unfused.hpp"

namespace weft {
namespace {

constexpr WordTable<UnfusedForm, 3> kForms{{{UnfusedForm::kStridedCopy, "strided_copy"},
                                            {UnfusedForm::kGatherRelayout, "gather_relayout"},
                                            {UnfusedForm::kGatherPerShard, "gather_per_shard"}}};

std::shared_ptr<ConfigDatabase> default_database() {
  static const std::shared_ptr<ConfigDatabase> database = ConfigDatabase::open_default();
  return database;
}

void check_backend(const Problem& problem, const Rank& rank) {
  check_problem(problem);
  if (problem.world_size != rank.world_size()) {
    throw invalid_argument("problem.world_size={} but this World has {} ranks", problem.world_size,
                           rank.world_size());
  }
  if (problem.dtype != DType::kF32 && problem.dtype != DType::kBf16) {
    throw unsupported("dtype {} does not run on the CPU; use f32 or bf16",
                      to_string(problem.dtype));
  }
}

}  // namespace

std::string_view to_string(UnfusedForm form) noexcept { return word_of(kForms, form); }
UnfusedForm parse_unfused_form(std::string_view text) {
  return parse_word(kForms, "unfused form", text);
}

std::int64_t workspace_bytes(const Problem& problem, const FusedConfig* config,
                             std::int32_t threads_per_rank) {
  check_problem(problem);
  if (config == nullptr) {
    return ops::unfused_bytes(problem, UnfusedForm::kStridedCopy, threads_per_rank);
  }
  return ops::fused_workspace(problem, *config, threads_per_rank).total();
}

struct Plan::Impl {
  Impl(Rank& r, const Problem& p, const PlanOptions& options);

  void run(const RunArgs& args);
  void run_guarded(const RunArgs& args);
  void run_variant(bool run_fused, const RunArgs& args) {
    run_fused ? fused->run(args) : unfused->run(args);
  }
  void settle_guard();

  Rank rank;
  Problem problem;
  Selection selection;
  std::optional<ops::CpuFused> fused;
  std::optional<ops::Unfused> unfused;
  std::optional<ops::Guard> guard;
  std::string failure;  // why the plan is unusable; empty while it is not
};

Plan::Impl::Impl(Rank& r, const Problem& p, const PlanOptions& options) : rank(r), problem(p) {
  check_backend(problem, rank);
  const std::shared_ptr<ConfigDatabase> database =
      options.database ? options.database : default_database();
  ops::Agreement agreement =
      ops::agree(rank, problem, ops::choose(rank, problem, options.select, *database));
  selection = std::move(agreement.selection);

  UnfusedForm form = options.unfused_form;
  if (!selection.unfused_form.empty()) form = parse_unfused_form(selection.unfused_form);
  const bool runs_fused = selection.variant != Variant::kUnfused;
  if (runs_fused) {
    fused.emplace(rank.endpoint(), problem, selection.config.value(), options.trace);
  }
  if (!runs_fused || selection.guard) unfused.emplace(rank, problem, form, options.trace);
  if (runs_fused && selection.guard) {
    guard.emplace(agreement.imported ? ops::GuardedClaim::kImported : ops::GuardedClaim::kMeasured);
  }
}

void Plan::Impl::run(const RunArgs& raw_args) {
  if (!failure.empty()) {
    throw timeout_error("this plan is unusable since an earlier call failed ({}); make a new World",
                        failure);
  }
  const RunArgs args = ops::checked_args(problem, raw_args);
  try {
    if (guard) {
      run_guarded(args);
    } else {
      run_variant(fused.has_value(), args);
    }
  } catch (const std::exception& error) {
    failure = error.what();
    guard.reset();
    throw;
  }
}

void Plan::Impl::run_guarded(const RunArgs& args) {
  rank.barrier();
  const auto begin = std::chrono::steady_clock::now();
  run_variant(guard->runs_fused(), args);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  guard->record(rank.all_reduce_max(seconds.count()));
  if (guard->decided()) settle_guard();
}

void Plan::Impl::settle_guard() {
  selection.reason = guard->reason();
  selection.text = guard->text();
  selection.guard = false;
  if (rank.rank() == 0) log::notice("{}: {}", to_string(problem), selection.text);
  if (guard->runs_fused()) {
    unfused.reset();
  } else {
    fused.reset();
    selection.variant = Variant::kUnfused;
    selection.config.reset();
  }
  guard.reset();
}

Plan::Plan(Rank& rank, const Problem& problem, const PlanOptions& options)
    : impl_(std::make_unique<Impl>(rank, problem, options)) {}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

void Plan::run(const RunArgs& args) { impl_->run(args); }

void Plan::settle(const RunArgs& args) {
  do {
    impl_->run(args);
  } while (impl_->guard);
}

const Selection& Plan::selection() const noexcept { return impl_->selection; }
const Problem& Plan::problem() const noexcept { return impl_->problem; }

PlanStatus Plan::status() const noexcept {
  if (!impl_->failure.empty()) return PlanStatus::kFailed;
  return impl_->guard ? PlanStatus::kGuarding : PlanStatus::kReady;
}

std::int64_t Plan::workspace_bytes() const noexcept {
  return (impl_->fused ? impl_->fused->bytes() : 0) +
         (impl_->unfused ? impl_->unfused->bytes() : 0);
}

}  // namespace weft
