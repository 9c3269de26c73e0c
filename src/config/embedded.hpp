// SPDX-License-Identifier: Apache-2.0
// The shipped database files, compiled into the library (cmake/WeftEmbed.cmake makes the source).
#pragma once

#include <span>
#include <string_view>

namespace weft::config {

struct EmbeddedFile {
  std::string_view relative_path;  ///< DatabaseKey::relative_path()
  std::string_view text;
};

/// Sorted by path; static lifetime.
std::span<const EmbeddedFile> embedded_files() noexcept;

}  // namespace weft::config
