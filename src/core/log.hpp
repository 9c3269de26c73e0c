// SPDX-License-Identifier: Apache-2.0
// Notices to the user, one line on stderr each; WEFT_LOG says how many.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace weft::log {

/// WEFT_LOG: off, notice (default), debug.
enum class Level { kOff, kNotice, kDebug };

/// @throws Error kInvalidArgument if WEFT_LOG is malformed
Level level();

/// Writes "weft: <text>" to stderr if `at` is enabled. Never throws.
void write(Level at, const std::string& text) noexcept;

template <class... Args>
void notice(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::kNotice, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::kDebug, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace weft::log
