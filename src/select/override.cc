// SPDX-License-Identifier: Apache-2.0
// Rung 1: what the caller insists on. Not guarded, and refused loudly when it is not legal.
#include "core/message.hpp"
#include "select/reasons.hpp"
#include "select/rungs.hpp"

namespace weft::select {
namespace {

Answer insist(const Query& query, const FusedConfig& config, std::string_view reason,
              std::string_view what) {
  const Validation verdict = validate(config, query.problem, query.arch);
  if (!verdict.legal) {
    throw config_error("{} ({}) is not legal for {} on {}: {}; change it or leave it out", what,
                       to_string(config), to_string(query.problem), query.arch.device(),
                       verdict.reason);
  }
  Answer answer =
      make_answer(Source::kOverride, true, reason, fmt::format("{}: {}", what, to_string(config)));
  answer.config = config;
  return answer;
}

}  // namespace

Answer ask_override(const Query& query) {
  const SelectOptions& options = query.options;
  if (options.config) {
    return insist(query, *options.config, reason::kOverrideConfig, "the given configuration");
  }
  if (!options.variant) {
    return make_answer(Source::kOverride, false, reason::kNoOverride,
                       "no configuration or variant was given");
  }
  if (*options.variant == Variant::kUnfused) {
    return make_answer(Source::kOverride, true, reason::kOverrideVariant,
                       "the given variant: unfused");
  }
  return insist(query, default_config(*options.variant, query.problem, query.arch),
                reason::kOverrideVariant, "the default configuration of the given variant");
}

}  // namespace weft::select
