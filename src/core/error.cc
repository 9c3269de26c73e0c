// SPDX-License-Identifier: Apache-2.0
#include "weft/error.hpp"

namespace weft {

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "kInvalidArgument";
    case ErrorCode::kUnsupported: return "kUnsupported";
    case ErrorCode::kConfigError: return "kConfigError";
    case ErrorCode::kDeviceError: return "kDeviceError";
    case ErrorCode::kTimeout: return "kTimeout";
    case ErrorCode::kInternal: return "kInternal";
  }
  return "unknown";
}

}  // namespace weft
