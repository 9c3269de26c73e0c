// SPDX-License-Identifier: Apache-2.0
// One table per enum: the words used in files, on the command line and in messages.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/message.hpp"

namespace weft {

template <class E, std::size_t kCount>
using WordTable = std::array<std::pair<E, std::string_view>, kCount>;

template <class E, std::size_t kCount>
constexpr std::string_view word_of(const WordTable<E, kCount>& table, E value) noexcept {
  for (const auto& [v, word] : table) {
    if (v == value) return word;
  }
  return "unknown";
}

/// The value spelled `text`, or nullptr.
template <class E, std::size_t kCount>
constexpr const E* find_word(const WordTable<E, kCount>& table, std::string_view text) noexcept {
  for (const auto& row : table) {
    if (row.second == text) return &row.first;
  }
  return nullptr;
}

/// @throws Error kInvalidArgument: "<what> is '<text>'; use one of a, b, c"
template <class E, std::size_t kCount>
E parse_word(const WordTable<E, kCount>& table, std::string_view what, std::string_view text) {
  if (const E* found = find_word(table, text)) return *found;
  std::string legal;
  for (const auto& row : table) {
    if (!legal.empty()) legal += ", ";
    legal += row.second;
  }
  throw invalid_argument("{} is '{}'; use one of {}", what, text, legal);
}

}  // namespace weft
