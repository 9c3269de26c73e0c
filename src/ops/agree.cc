// SPDX-License-Identifier: Apache-2.0
#include "ops/agree.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include "arch/detect.hpp"
#include "comm/endpoint.hpp"
#include "core/log.hpp"
#include "core/message.hpp"
#include "weft/version.hpp"

namespace weft::ops {
namespace {

// Fixed-size text, so that the record below travels as bytes.
using Text = std::array<char, 96>;

Text pack(std::string_view text) {
  Text packed{};
  std::copy_n(text.data(), std::min(text.size(), packed.size() - 1), packed.data());
  return packed;
}
std::string unpack(const Text& text) { return std::string(text.data()); }

// What one rank brings to the plan's creation.
struct Proposal {
  Problem problem;
  FusedConfig config;
  Variant variant = Variant::kUnfused;
  bool guard = false;
  bool imported = false;
  Text kernel_hash{}, device{}, unfused_form{}, environment{};
};
static_assert(std::is_trivially_copyable_v<Proposal>);

Proposal propose(const Rank& rank, const Problem& problem, const Selection& own) {
  const Environment now = current_environment();
  Proposal p;
  p.problem = problem;
  p.config = own.config.value_or(FusedConfig{});
  p.variant = own.variant;
  p.guard = own.guard;
  p.imported = own.entry && own.entry->entry.stage == EntryStage::kImported;
  p.kernel_hash = pack(now.kernel_hash);
  p.device = pack(rank.arch().device());
  p.unfused_form = pack(own.unfused_form);
  p.environment = pack(now.compiler + " " + now.unfused_gemm);
  return p;
}

Selection fall_back(Selection s, std::string reason, std::string text) {
  s.variant = Variant::kUnfused;
  s.source = Source::kFallback;
  s.reason = std::move(reason);
  s.text = std::move(text);
  s.config.reset();
  s.guard = false;
  return s;
}

// Why `other` cannot run what `root` chose; empty if nothing speaks against it.
std::string difference(const Proposal& root, const Proposal& other) {
  if (root.kernel_hash != other.kernel_hash) {
    return fmt::format("its library has kernels {}, rank 0's has {}", unpack(other.kernel_hash),
                       unpack(root.kernel_hash));
  }
  if (root.device != other.device) {
    return fmt::format("it runs on {}, rank 0 on {}", unpack(other.device), unpack(root.device));
  }
  if (root.environment != other.environment) {
    return fmt::format("it uses {}, rank 0 uses {}", unpack(other.environment),
                       unpack(root.environment));
  }
  return "";
}

bool same_choice(const Proposal& a, const Proposal& b) {
  return a.variant == b.variant && a.guard == b.guard && a.unfused_form == b.unfused_form &&
         (a.variant == Variant::kUnfused || a.config == b.config);
}

}  // namespace

Selection choose(Rank& rank, const Problem& problem, const SelectOptions& options,
                 ConfigDatabase& database) {
  const std::optional<Arch> simulated = arch_from_environment();
  const Arch& arch = simulated ? *simulated : rank.arch();
  const std::string link = simulated ? default_link(arch) : rank.link();
  Selection s = select_config(problem, arch, link, database, options_from_environment(options),
                              current_environment());
  if (simulated && s.variant != Variant::kUnfused && arch.device() != rank.arch().device()) {
    return fall_back(std::move(s), "simulated_arch",
                     fmt::format("WEFT_ARCH simulates {}, this is {}: fused variants do not run",
                                 arch.device(), rank.arch().device()));
  }
  return s;
}

Agreement agree(Rank& rank, const Problem& problem, Selection own) {
  const auto ranks = static_cast<std::size_t>(rank.world_size());
  const Proposal mine = propose(rank, problem, own);
  std::vector<Proposal> all(ranks);
  rank.endpoint().all_gather(&mine, sizeof(mine), all.data(), "plan creation");
  const Proposal& root = all.front();
  for (std::size_t r = 1; r < ranks; ++r) {
    if (all[r].problem != root.problem) {
      throw invalid_argument(
          "rank {} makes a plan for {}, rank 0 for {}; all ranks must pass the "
          "same problem",
          r, to_string(all[r].problem), to_string(root.problem));
    }
  }
  if (!same_choice(mine, root)) {
    log::notice("rank {} would choose {} for {}; rank 0's {} counts", rank.rank(),
                to_string(own.variant), to_string(problem), to_string(root.variant));
    own.variant = root.variant;
    own.source = Source::kOverride;
    own.reason = "rank0_choice";
    own.text = "rank 0's choice counts on all ranks";
    own.guard = root.guard;
    own.unfused_form = unpack(root.unfused_form);
    own.config.reset();
    own.entry.reset();
    if (root.variant != Variant::kUnfused) own.config = root.config;
  }
  if (root.variant == Variant::kUnfused) return {std::move(own), false};

  // Each rank says whether it can run rank 0's choice; one "no" counts for all.
  const Validation verdict = validate(root.config, problem, rank.arch());
  const Text refusal = pack(verdict.legal ? difference(root, mine) : verdict.reason);
  std::vector<Text> refusals(ranks);
  rank.endpoint().all_gather(&refusal, sizeof(refusal), refusals.data(), "plan creation");
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::string cause = unpack(refusals[r]);
    if (cause.empty()) continue;
    const std::string text =
        fmt::format("rank {} cannot run {}: {}", r, to_string(root.variant), cause);
    if (rank.rank() == 0) log::notice("{}; all ranks run unfused", text);
    return {fall_back(std::move(own), "ranks_differ", text), false};
  }
  return {std::move(own), root.imported};
}

}  // namespace weft::ops
