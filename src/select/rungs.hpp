// SPDX-License-Identifier: Apache-2.0
// The rungs of the ladder, one file each, and what they share. All are pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/select.hpp"

namespace weft::select {

/// What is asked. References live as long as the call.
struct Query {
  const Problem& problem;
  const Arch& arch;
  std::string_view link;
  const SelectOptions& options;
  const Environment& environment;
  const KeyEntries& known;  ///< of this problem's key
};

/// What a rung says. `config` set means fused; an answer without one means `unfused`.
struct Answer {
  RungReport report;
  std::optional<FusedConfig> config;
  std::optional<FoundEntry> entry;
  bool guard = false;
  double bound_used = 0;
  double distance = 0;
};

Answer make_answer(Source rung, bool answered, std::string_view reason, std::string text);

/// @throws Error kConfigError if what the caller insists on is not legal
Answer ask_override(const Query& query);
Answer ask_exact(const Query& query);
Answer ask_nearest(const Query& query);
Answer ask_model(const Query& query);
/// Always answers. @param before  what the earlier rungs said, in order
Answer ask_fallback(const Query& query, const std::vector<RungReport>& before);

/// "131072x16384x16384".
std::string shape_text(const Entry& entry);
std::string shape_text(const Problem& problem);

/// "claimed 1.343x" of an imported entry, or "measured 1.21x [1.05 1.30] over 11 pairs".
std::string evidence_text(const Entry& entry);

/// Text of a file as a part of a longer sentence: without its final full stop.
std::string_view as_clause(std::string_view text);

/// Of a measured entry. One without an environment proves nothing about this one: kStale.
EvidenceAge age_of(const FoundEntry& found, const Environment& now);

/// Lower bound of a measured winner's speedup after the discounts for age and distance.
double discounted_bound(const Entry& entry, EvidenceAge age, double octaves);

/// Whether the entry's configuration, and what it needs, is legal for this problem on this chip.
Validation check_entry(const Entry& entry, const Problem& problem, const Arch& arch);

/// Lower bounds taken off.
inline constexpr double kAgedDiscount = 0.03;
inline constexpr double kDiscountPerOctave = 0.10;
/// Radius of validity, in octaves per dimension, of an entry that measured none; and the largest.
inline constexpr double kDefaultRadius = 0.20;
inline constexpr double kLargestRadius = 0.5;

}  // namespace weft::select
