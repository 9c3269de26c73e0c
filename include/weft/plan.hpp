// SPDX-License-Identifier: Apache-2.0
/// @file
/// A plan is made once for a problem and run many times.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "weft/problem.hpp"
#include "weft/select.hpp"
#include "weft/trace.hpp"
#include "weft/world.hpp"

namespace weft {

/// Operands of one call. Leading dimensions are in elements; 0 means "packed".
/// All memory belongs to the caller and stays valid until the call (CPU) or stream work ends.
struct RunArgs {
  const void* a_shard = nullptr;  ///< this rank's shard, [m_local, k_local] or transposed
  std::int64_t lda = 0;
  const void* b = nullptr;  ///< [K,N] or transposed
  std::int64_t ldb = 0;
  void* c = nullptr;  ///< [M,N] row-major; never read
  std::int64_t ldc = 0;
  const void* bias = nullptr;  ///< [N]; only when problem.has_bias
  void* gathered_a = nullptr;  ///< [M,K] or transposed; only when problem.return_gathered_a
  std::int64_t ldg = 0;
  void* stream = nullptr;  ///< GPU stream; must be null on the CPU
};

/// How the unfused path gathers. All forms leave a complete private A on every rank.
enum class UnfusedForm : std::uint8_t {
  kStridedCopy,     ///< copies straight into place, then one product
  kGatherRelayout,  ///< gathers shard after shard, re-lays it out, then one product
  kGatherPerShard,  ///< gathers shard after shard, then one accumulating product per shard
};
std::string_view to_string(UnfusedForm form) noexcept;  ///< "strided_copy", ...
/// @throws Error kInvalidArgument naming the text and the legal words
UnfusedForm parse_unfused_form(std::string_view text);

/// How to make a plan.
struct PlanOptions {
  SelectOptions select;  ///< overrides
  std::shared_ptr<ConfigDatabase>
      database;  ///< null: ConfigDatabase::open_default(), once a process
  UnfusedForm unfused_form = UnfusedForm::kStridedCopy;  ///< used when no entry names one
  TraceSink* trace = nullptr;                            ///< must outlive the plan; null: no events
};

/// Whether a plan can still run.
enum class PlanStatus : std::uint8_t { kReady, kGuarding, kFailed };

/// One all-gather + matmul, validated, selected, agreed between the ranks, with its workspace.
class Plan {
 public:
  /// Collective. All ranks must pass the same problem; databases and overlays may differ: rank 0's
  /// choice counts. Any rank that cannot run it makes all ranks run `unfused`.
  /// @throws Error kInvalidArgument, kUnsupported, kConfigError on bad input; kTimeout if a rank
  ///         never comes
  Plan(Rank& rank, const Problem& problem, const PlanOptions& options = {});
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  /// Collective; synchronous on the CPU: on return C is complete and no peer reads A any more.
  /// @throws Error kInvalidArgument for bad operands (before anything is written); kTimeout if a
  ///         peer does not come: C is then undefined and the plan unusable
  void run(const RunArgs& args);

  /// Collective: runs as often as the guard needs to decide; C is complete on return.
  void settle(const RunArgs& args);

  /// What all ranks agreed on. A decided guard has changed it.
  [[nodiscard]] const Selection& selection() const noexcept;
  [[nodiscard]] const Problem& problem() const noexcept;
  [[nodiscard]] PlanStatus status() const noexcept;
  /// Bytes of private memory the plan holds.
  [[nodiscard]] std::int64_t workspace_bytes() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Private memory that a plan of `problem` needs on each rank to run `config` on a CPU, in bytes.
/// @param config            null: the unfused path
/// @param threads_per_rank  workers of each rank
std::int64_t workspace_bytes(const Problem& problem, const FusedConfig* config,
                             std::int32_t threads_per_rank);

}  // namespace weft
