// SPDX-License-Identifier: Apache-2.0
#include "config/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

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
  const char* separator = "";
  if (value.is_object()) {
    out += '{';
    for (const auto& member : value.items()) {
      out += separator;
      separator = ", ";
      append_json(out, json(member.key()));
      out += ": ";
      append_json(out, member.value());
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    for (const json& element : value) {
      out += separator;
      separator = ", ";
      append_json(out, element);
    }
    out += ']';
  } else if (value.is_number_float()) {
    append_double(out, value.get<double>());
  } else {
    out += value.dump(-1, ' ', false, json::error_handler_t::replace);
  }
}

}  // namespace weft::config
