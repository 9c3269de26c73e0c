// SPDX-License-Identifier: Apache-2.0
// What the caller leaves open is read from the environment.
#include "config/fused_config_json.hpp"
#include "core/env.hpp"
#include "core/message.hpp"
#include "core/words.hpp"
#include "weft/select.hpp"

namespace weft {
namespace {

constexpr WordTable<Source, 5> kSources{{{Source::kOverride, "override"},
                                         {Source::kExact, "exact"},
                                         {Source::kNearest, "nearest"},
                                         {Source::kModel, "model"},
                                         {Source::kFallback, "fallback"}}};
constexpr WordTable<Trust, 2> kTrusts{{{Trust::kAll, "all"}, {Trust::kMeasured, "measured"}}};

std::optional<FusedConfig> config_variable() {
  const auto text = env::text("WEFT_CONFIG");
  if (!text) return std::nullopt;
  return config::parse_fused_config(*text, "WEFT_CONFIG");
}

std::optional<Variant> variant_variable() {
  const auto text = env::text("WEFT_VARIANT");
  if (!text) return std::nullopt;
  try {
    return parse_variant(*text);
  } catch (const Error& error) {
    throw invalid_argument("WEFT_VARIANT: {}", error.what());
  }
}

std::optional<Trust> trust_variable() {
  const auto text = env::text("WEFT_TRUST");
  if (!text) return std::nullopt;
  return parse_word(kTrusts, "WEFT_TRUST", *text);
}

std::optional<GuardMode> guard_variable() {
  const auto on = env::flag("WEFT_GUARD");
  if (!on) return std::nullopt;
  return *on ? GuardMode::kOn : GuardMode::kOff;
}

}  // namespace

std::string_view to_string(Source source) noexcept { return word_of(kSources, source); }

SelectOptions options_from_environment(SelectOptions options) {
  // All four are read, so that a malformed one is refused whether it counts or not.
  const auto config = config_variable();
  const auto variant = variant_variable();
  const auto trust = trust_variable();
  const auto guard = guard_variable();
  // NOTE: a variant that the caller names outranks WEFT_CONFIG, which would decide the variant too.
  if (!options.config && !options.variant) {
    options.config = config;
    if (!config) options.variant = variant;
  }
  if (!options.trust) options.trust = trust;
  if (!options.guard) options.guard = guard;
  return options;
}

}  // namespace weft
