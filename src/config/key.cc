// SPDX-License-Identifier: Apache-2.0
#include "config/key.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <string>

#include "core/message.hpp"

namespace weft {

std::string DatabaseKey::relative_path() const {
  return fmt::format("{}/{}/{}_{}_{}_ws{}_{}.json", op, device, to_string(dtype), to_string(layout),
                     to_string(shard_dim), world_size, link);
}

}  // namespace weft

namespace weft::config {
namespace {

constexpr std::array<std::string_view, 7> kLinks{"shm",    "device", "host", "pcie",
                                                 "nvlink", "xgmi",   "net"};
constexpr std::string_view kEmulated = "emulated:";
constexpr std::size_t kLongestDevice = 100;
constexpr std::size_t kLongestRate = 12;

// A positive plain decimal, in the one spelling that has no needless zeros.
bool is_rate(std::string_view text) {
  if (text.empty() || text.size() > kLongestRate || text.back() == '.') return false;
  const std::size_t point = text.find('.');
  if (text.front() == '0' && point != 1) return false;
  const bool digits = std::all_of(text.begin(), text.end(),
                                  [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  if (!digits || point == 0 || point != text.rfind('.')) return false;
  return point == std::string_view::npos || text.back() != '0';
}

bool is_device(std::string_view text) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto legal = [&](char c) { return is_word(c) || c == '_' || c == '-' || c == '.'; };
  return !text.empty() && text.size() <= kLongestDevice && is_word(text.front()) &&
         std::all_of(text.begin(), text.end(), legal);
}

template <class Words>
bool contains(const Words& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// Cuts "<head>_" off the front of `text`.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find('_'), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

void check_link(std::string_view link) {
  if (contains(kLinks, link)) return;
  if (link.substr(0, kEmulated.size()) == kEmulated && is_rate(link.substr(kEmulated.size()))) {
    return;
  }
  throw invalid_argument("link is '{}'; use one of {}, or {}<GB/s> such as {}50", link,
                         fmt::join(kLinks, ", "), kEmulated, kEmulated);
}

void check_key(const DatabaseKey& key) {
  if (!contains(kOps, key.op)) {
    throw invalid_argument("op is '{}'; use one of {}", key.op, fmt::join(kOps, ", "));
  }
  if (!is_device(key.device)) {
    throw invalid_argument(
        "device is '{}'; use small letters, digits, '_', '-' and '.', such as "
        "gfx942-304cu",
        key.device);
  }
  if (key.world_size < 1) {
    throw invalid_argument("world_size={} must be at least 1", key.world_size);
  }
  check_link(key.link);
}

std::optional<DatabaseKey> parse_relative_path(std::string_view path) {
  constexpr std::string_view kSuffix = ".json";
  constexpr std::string_view kFp8 = "fp8_e4m3";
  const std::size_t first = path.find('/');
  const std::size_t last = path.rfind('/');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  std::string_view name = path.substr(last + 1);
  if (name.size() <= kSuffix.size() || name.substr(name.size() - kSuffix.size()) != kSuffix) {
    return std::nullopt;
  }
  name.remove_suffix(kSuffix.size());
  try {
    DatabaseKey key;
    key.op = path.substr(0, first);
    key.device = path.substr(first + 1, last - first - 1);
    if (name.substr(0, kFp8.size()) == kFp8) {
      key.dtype = DType::kFp8E4m3;
      name.remove_prefix(std::min(kFp8.size() + 1, name.size()));
    } else {
      key.dtype = parse_dtype(take_word(name));
    }
    key.layout = parse_layout(take_word(name));
    key.shard_dim = parse_shard_dim(take_word(name));
    const std::string_view size = take_word(name);
    if (size.substr(0, 2) != "ws") return std::nullopt;
    std::from_chars(size.data() + 2, size.data() + size.size(), key.world_size);
    key.link = name;
    check_key(key);
    // Signs, leading zeros and the like: no key is spelled so.
    if (key.relative_path() != path) return std::nullopt;
    return key;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::size_t KeyHash::operator()(const DatabaseKey& key) const noexcept {
  constexpr std::size_t kOddFactor = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  const std::hash<std::string_view> text;
  std::size_t hash = text(key.device);
  const auto mix = [&](std::size_t part) { hash = (hash ^ part) * kOddFactor; };
  mix(text(key.op));
  mix(text(key.link));
  mix((static_cast<std::size_t>(key.world_size) << 24) |
      (static_cast<std::size_t>(key.dtype) << 16) | (static_cast<std::size_t>(key.layout) << 8) |
      static_cast<std::size_t>(key.shard_dim));
  return hash;
}

}  // namespace weft::config
