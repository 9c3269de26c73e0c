// SPDX-License-Identifier: Apache-2.0
// Builds the sentence of an Error: name, value, rule, remedy.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "weft/error.hpp"

namespace weft {

template <class... Args>
Error make_error(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  return Error(code, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
Error invalid_argument(fmt::format_string<Args...> text, Args&&... args) {
  return make_error(ErrorCode::kInvalidArgument, text, std::forward<Args>(args)...);
}

template <class... Args>
Error unsupported(fmt::format_string<Args...> text, Args&&... args) {
  return make_error(ErrorCode::kUnsupported, text, std::forward<Args>(args)...);
}

template <class... Args>
Error config_error(fmt::format_string<Args...> text, Args&&... args) {
  return make_error(ErrorCode::kConfigError, text, std::forward<Args>(args)...);
}

template <class... Args>
Error device_error(fmt::format_string<Args...> text, Args&&... args) {
  return make_error(ErrorCode::kDeviceError, text, std::forward<Args>(args)...);
}

template <class... Args>
Error timeout_error(fmt::format_string<Args...> text, Args&&... args) {
  return make_error(ErrorCode::kTimeout, text, std::forward<Args>(args)...);
}

}  // namespace weft

/// For weft's own bugs only; never for bad input.
#define WEFT_ASSERT(condition)                                    \
  do {                                                            \
    if (!(condition)) {                                           \
      throw ::weft::make_error(::weft::ErrorCode::kInternal,      \
                               "{}:{}: {} does not hold; please " \
                               "report this",                     \
                               __FILE__, __LINE__, #condition);   \
    }                                                             \
  } while (false)
