// SPDX-License-Identifier: Apache-2.0
// The sources of the kernels, compiled into the library.
#pragma once

#include <span>

#include "core/embedded.hpp"

namespace weft::jit {

/// Paths are those below src/, as the sources include them. Sorted by path; static lifetime.
std::span<const EmbeddedFile> embedded_files() noexcept;

}  // namespace weft::jit
