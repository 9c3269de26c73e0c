// SPDX-License-Identifier: Apache-2.0
// Environment variables, read at use. The names are listed in docs/selection.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::env {

/// The variable's text; nothing when unset or empty (as XDG wants it).
std::optional<std::string> text(const char* name);

/// A decimal integer in [lo, hi]. @throws Error kInvalidArgument naming variable, text and range
std::optional<std::int64_t> integer(const char* name, std::int64_t lo, std::int64_t hi);

/// "0" or "1". @throws Error kInvalidArgument
std::optional<bool> flag(const char* name);

/// One absolute path; a relative one counts as unset (the XDG rule).
std::optional<std::filesystem::path> absolute_path(const char* name);

/// Colon-separated absolute paths; relative ones are left out.
std::vector<std::filesystem::path> path_list(const char* name);

/// $HOME, or "/" when unset.
std::filesystem::path home();

}  // namespace weft::env
