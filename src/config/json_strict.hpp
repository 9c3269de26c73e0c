// SPDX-License-Identifier: Apache-2.0
// JSON from files that anybody may have written. What a lenient parser lets pass in silence
// (duplicate keys, endless nesting, huge files) is refused here, with line and column.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace weft::config {

inline constexpr std::size_t kMaxJsonBytes = std::size_t{16}
                                             << 20;  ///< sizes from here on: refused
inline constexpr int kMaxJsonDepth = 16;             ///< nested objects and arrays

/// Where a text stops being acceptable, and by which rule.
struct JsonError {
  std::size_t line = 1;    ///< from 1
  std::size_t column = 1;  ///< from 1, in bytes
  std::string rule;  ///< a clause without final stop, such as "key 'm' occurs twice in one object"
  /// "line 3, column 7"
  [[nodiscard]] std::string place() const;
};

/// Either a value or an error.
struct JsonResult {
  std::optional<nlohmann::json> value;
  JsonError error;
};

/// Parses one JSON value that fills `text`. Refused: kMaxJsonBytes or more, bytes that are not
/// UTF-8, NUL bytes, duplicate keys, more than kMaxJsonDepth levels, numbers that no double holds,
/// truncation, anything after the value. Never throws for bad text.
JsonResult parse_strict(std::string_view text);

}  // namespace weft::config
