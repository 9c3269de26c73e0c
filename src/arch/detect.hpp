// SPDX-License-Identifier: Apache-2.0
// The parts of detection that tests can point elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "weft/arch.hpp"

namespace weft {

/// WEFT_ARCH, which simulates a chip; nothing when unset. An unknown word gives an unknown Arch.
/// @throws Error kInvalidArgument as parse_arch, naming the variable
std::optional<Arch> arch_from_environment();

namespace arch {

/// "<family>.<model>" from register eax of cpuid leaf 1.
std::string family_and_model(std::uint32_t eax);

/// The first CUDA device, through the driver library of that file name; key "unknown" without one.
Arch detect_cuda(const char* driver_library);

/// The first GPU of a KFD topology: a folder with nodes/<i>/properties. Key "unknown" without one.
Arch detect_kfd(const std::filesystem::path& topology);

/// The kernel's name of a `gfx_target_version`: 90402 is "gfx942", 90010 is "gfx90a".
std::string gfx_name(std::int64_t target_version);

}  // namespace arch
}  // namespace weft
