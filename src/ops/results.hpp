// SPDX-License-Identifier: Apache-2.0
// Result files: one object {"meta": {...}, "rows": [...]}. Quantities that were not measured are
// null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ops/measure.hpp"

namespace weft::ops {

/// {command, device, driver, toolkit, library_commit, date, clocks, note} of this process, now.
nlohmann::ordered_json results_meta(std::string_view command, const Arch& arch,
                                    std::string_view note);

/// One row. `variant` and `config` are those of the fused form that t_fused_us times, or "unfused"
/// and null when none was timed.
/// @param bench  which benchmark
nlohmann::ordered_json results_row(std::string_view bench, const Measurement& measurement,
                                   std::string_view link);

/// What a stored entry knows of a measurement; the rest is 0.
Measurement from_entry(const Problem& problem, const Entry& entry);

}  // namespace weft::ops
