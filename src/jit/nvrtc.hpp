// SPDX-License-Identifier: Apache-2.0
// NVIDIA's run-time compiler, opened when first used: no CUDA header, no link.
#pragma once

#include <string>
#include <vector>

#include "core/embedded.hpp"

namespace weft::jit {

/// Machine code and what the compiler said.
struct Object {
  std::string cubin;
  std::string log;  ///< ptxas' report on registers and spills included
};

/// Whether NVRTC can be opened, and if not why.
struct NvrtcState {
  bool available = false;
  std::string version;  ///< "13.0"
  std::string reason;
};
NvrtcState nvrtc_state() noexcept;

/// Compiles `source` for `arch`. Includes are found among `headers` alone.
/// @throws Error kDeviceError with the compiler's log if it fails or NVRTC is absent
Object nvrtc_compile(const EmbeddedFile& source, const std::vector<EmbeddedFile>& headers,
                     const std::vector<std::string>& options);

}  // namespace weft::jit
