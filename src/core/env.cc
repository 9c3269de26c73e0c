// SPDX-License-Identifier: Apache-2.0
#include "core/env.hpp"

#include <charconv>
#include <cstdlib>

#include "core/message.hpp"

namespace weft::env {

std::optional<std::string> text(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

std::optional<std::int64_t> integer(const char* name, std::int64_t lo, std::int64_t hi) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  const char* end = value->data() + value->size();
  const auto [stop, error] = std::from_chars(value->data(), end, number);
  if (error != std::errc{} || stop != end || number < lo || number > hi) {
    throw invalid_argument("{}='{}' must be an integer from {} to {}; correct or unset it", name,
                           *value, lo, hi);
  }
  return number;
}

std::optional<bool> flag(const char* name) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  if (*value == "0") return false;
  if (*value == "1") return true;
  throw invalid_argument("{}='{}' must be 0 or 1; correct or unset it", name, *value);
}

std::optional<std::filesystem::path> absolute_path(const char* name) {
  const auto value = text(name);
  if (!value || value->front() != '/') return std::nullopt;
  return std::filesystem::path(*value);
}

std::vector<std::filesystem::path> path_list(const char* name) {
  std::vector<std::filesystem::path> paths;
  const std::string all = text(name).value_or("");
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = all.find(':', begin);
    if (end == std::string::npos) end = all.size();
    if (end > begin && all[begin] == '/') paths.emplace_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return paths;
}

std::filesystem::path home() { return absolute_path("HOME").value_or("/"); }

}  // namespace weft::env
