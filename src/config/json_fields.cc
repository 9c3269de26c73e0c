// SPDX-License-Identifier: Apache-2.0
#include "config/json_fields.hpp"

#include <limits>

#include "core/message.hpp"

namespace weft::config {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestQuote = 60;

// Signed and unsigned JSON integers that fit 64 bits.
bool integer_of(const json& value, std::int64_t& out) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return false;
  }
  out = value.get<std::int64_t>();
  return true;
}

}  // namespace

std::string quote_json(const json& value) {
  // NOTE: ASCII output, so that cutting never splits a character.
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLongestQuote) text = text.substr(0, kLongestQuote) + "...";
  return text;
}

Fields::Fields(const json& object, const char* what) : object_(object) {
  if (!object.is_object()) {
    throw invalid_argument("{} is {}; it must be an object", what, quote_json(object));
  }
}

const json& Fields::at(const char* name) const {
  const auto found = object_.find(name);
  if (found == object_.end()) throw invalid_argument("T004: field '{}' is missing", name);
  return *found;
}

std::int64_t Fields::integer(const char* name, std::int64_t lo, std::int64_t hi) const {
  const json& value = at(name);
  std::int64_t number = 0;
  if (!integer_of(value, number) || number < lo || number > hi) {
    throw invalid_argument("field '{}' is {}; it must be an integer from {} to {}", name,
                           quote_json(value), lo, hi);
  }
  return number;
}

std::int64_t Fields::integer_or(const char* name, std::int64_t lo, std::int64_t hi,
                                std::int64_t fallback) const {
  return has(name) ? integer(name, lo, hi) : fallback;
}

double Fields::number(const char* name, double lo, double hi) const {
  const json& value = at(name);
  const double number = value.is_number() ? value.get<double>() : 0.0;
  // NOTE: written so that a NaN is refused too.
  if (!value.is_number() || !(number >= lo && number <= hi)) {
    throw invalid_argument("field '{}' is {}; it must be a number from {} to {}", name,
                           quote_json(value), lo, hi);
  }
  return number;
}

double Fields::number_or(const char* name, double lo, double hi, double fallback) const {
  return has(name) ? number(name, lo, hi) : fallback;
}

bool Fields::boolean(const char* name) const {
  const json& value = at(name);
  if (!value.is_boolean()) {
    throw invalid_argument("field '{}' is {}; it must be true or false", name, quote_json(value));
  }
  return value.get<bool>();
}

std::string Fields::text(const char* name, std::size_t max_bytes) const {
  const json& value = at(name);
  if (!value.is_string() || value.get_ref<const std::string&>().size() > max_bytes) {
    throw invalid_argument("field '{}' is {}; it must be a text of at most {} bytes", name,
                           quote_json(value), max_bytes);
  }
  return value.get<std::string>();
}

std::string Fields::text_or(const char* name, std::size_t max_bytes, std::string fallback) const {
  return has(name) ? text(name, max_bytes) : std::move(fallback);
}

}  // namespace weft::config
