// SPDX-License-Identifier: Apache-2.0
// JSON text with the same bytes for the same value: sorted keys, no exponents.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::config {

/// Appends `value` on one line: `{"a": 1, "b": [1.5, 2]}`. Bytes that are not UTF-8 become U+FFFD.
/// @throws Error kInvalidArgument for a number that is not finite
void append_json(std::string& out, const nlohmann::json& value);

}  // namespace weft::config
