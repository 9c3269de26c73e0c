// SPDX-License-Identifier: Apache-2.0
/// @file
/// The one exception type of weft. A *decision* (which variant runs, and why) is never an error:
/// see select.hpp.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace weft {

/// What kind of thing went wrong. The sentence in `Error::what()` carries names, values and remedy.
enum class ErrorCode {
  kInvalidArgument,  ///< the caller's sizes, pointers, files or environment variables are wrong
  kUnsupported,      ///< well-formed, but this build or this machine cannot do it
  kConfigError,      ///< a configuration that the caller insisted on is not legal for the problem
  kDeviceError,      ///< a device or the operating system failed
  kTimeout,          ///< a bounded wait expired; names rank and flag
  kInternal,         ///< a bug in weft
};

/// The enumerator's own spelling, such as "kTimeout".
std::string_view to_string(ErrorCode code) noexcept;

/// Thrown by every function of the C++ interface. A call that threw a validation error changed
/// nothing; after `kTimeout` the output is undefined and the plan is unusable.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace weft
