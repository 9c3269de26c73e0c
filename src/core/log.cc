// SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"

#include <cstdio>

#include "core/env.hpp"
#include "core/words.hpp"

namespace weft::log {
namespace {

constexpr WordTable<Level, 3> kLevels{
    {{Level::kOff, "off"}, {Level::kNotice, "notice"}, {Level::kDebug, "debug"}}};

}  // namespace

Level level() {
  const auto text = env::text("WEFT_LOG");
  return text ? parse_word(kLevels, "WEFT_LOG", *text) : Level::kNotice;
}

void write(Level at, const std::string& text) noexcept {
  Level enabled = Level::kNotice;
  try {
    enabled = level();
  } catch (const Error&) {
    // NOTE: a malformed WEFT_LOG is refused where plans are made; here it must not hide a notice.
  }
  if (static_cast<int>(at) <= static_cast<int>(enabled)) {
    std::fprintf(stderr, "weft: %s\n", text.c_str());
  }
}

}  // namespace weft::log
