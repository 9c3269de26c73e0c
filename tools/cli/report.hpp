// SPDX-License-Identifier: Apache-2.0
// Decisions, configurations and entries as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "weft/weft.hpp"

namespace weft::cli {

/// "name       value\n", names padded so that values line up.
std::string line(std::string_view name, std::string_view value);

/// Every field of a configuration, one a line, indented.
std::string config_text(const FusedConfig& config);

/// What an entry claims, in one line: stage, status, speedup with bounds or claim, label.
std::string claim_text(const Entry& entry);

/// variant, source, reason, guard and the deciding entry, a line each.
std::string selection_text(const Selection& selection);

/// The entry's stored fields, plus layer, file and, for measured ones, environment.
nlohmann::ordered_json entry_json(const FoundEntry& found);

/// {variant, source, reason, config, entry, guard, bound_used, distance, layer, rungs}; absent
/// values are null.
nlohmann::ordered_json selection_json(const Selection& selection);

/// [{file, place, rule}].
nlohmann::ordered_json issues_json(const std::vector<DatabaseIssue>& issues);

}  // namespace weft::cli
