// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which weft this is.
#pragma once

#include <string>

namespace weft {

/// What was compiled in.
struct BuildInfo {
  std::string version;       ///< "0.1.0"
  std::string commit;        ///< git hash, or "unknown"
  std::string kernel_hash;   ///< SHA-256 (hex) of the kernel sources
  std::string compiler;      ///< "GNU 12.2.0"
  std::string backends;      ///< "cpu"
  std::string micro_kernel;  ///< "oneDNN 2.6.3 (avx2)" or "portable loop"
};

/// Facts about this library. The micro-kernel's instruction set is that of this machine.
BuildInfo build_info();

}  // namespace weft
