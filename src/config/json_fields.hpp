// SPDX-License-Identifier: Apache-2.0
// Typed members of one JSON object, each with its legal range. Every reader throws Error
// kInvalidArgument whose text is the broken rule; unknown members are not looked at.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace weft::config {

/// The value as text for a message: at most 60 characters, always valid UTF-8.
std::string quote_json(const nlohmann::json& value);

/// A view of one JSON object. Readers without a fallback require the member.
class Fields {
 public:
  /// @param object  must outlive the view
  /// @throws Error if `object` is not a JSON object; `what` names it then
  Fields(const nlohmann::json& object, const char* what);

  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }
  /// @throws Error if the member is missing
  [[nodiscard]] const nlohmann::json& at(const char* name) const;

  [[nodiscard]] std::int64_t integer(const char* name, std::int64_t lo, std::int64_t hi) const;
  [[nodiscard]] std::int64_t integer_or(const char* name, std::int64_t lo, std::int64_t hi,
                                        std::int64_t fallback) const;
  [[nodiscard]] double number(const char* name, double lo, double hi) const;
  [[nodiscard]] double number_or(const char* name, double lo, double hi, double fallback) const;
  [[nodiscard]] bool boolean(const char* name) const;
  /// @param max_bytes  longest legal text, UTF-8
  [[nodiscard]] std::string text(const char* name, std::size_t max_bytes) const;
  [[nodiscard]] std::string text_or(const char* name, std::size_t max_bytes,
                                    std::string fallback) const;

 private:
  const nlohmann::json& object_;
};

}  // namespace weft::config
