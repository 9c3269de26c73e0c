// SPDX-License-Identifier: Apache-2.0
// The shipped database files, compiled into the library.
#pragma once

#include <span>

#include "core/embedded.hpp"

namespace weft::config {

/// Paths are those of DatabaseKey::relative_path(). Sorted by path; static lifetime.
std::span<const EmbeddedFile> embedded_files() noexcept;

}  // namespace weft::config
