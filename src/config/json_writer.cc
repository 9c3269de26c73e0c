// SPDX-License-Identifier: Apache-2.0
#include "config/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "core/message.hpp"

namespace weft::config {
namespace {

using nlohmann::json;

// The shortest plain decimal that reads back as the same double.
void append_double(std::string& out, double number) {
  if (!std::isfinite(number))
    throw invalid_argument("{} is not finite; JSON cannot hold it", number);
  constexpr std::size_t kLongestDecimal = 1100;  // smallest subnormal: 0, point, 1074 digits
  std::array<char, kLongestDecimal> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed).ptr;
  out.append(text.data(), end);
}

}  // namespace

void append_json(std::string& out, const json& value) {
  if (value.is_object() || value.is_array()) {
    out += value.is_object() ? '{' : '[';
    const char* separator = "";
    for (const auto& member : value.items()) {
      out += separator;
      separator = ", ";
      if (value.is_object()) {
        append_json(out, json(member.key()));
        out += ": ";
      }
      append_json(out, member.value());
    }
    out += value.is_object() ? '}' : ']';
  } else if (value.is_number_float()) {
    append_double(out, value.get<double>());
  } else {
    out += value.dump(-1, ' ', false, json::error_handler_t::replace);
  }
}

}  // namespace weft::config
