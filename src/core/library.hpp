// SPDX-License-Identifier: Apache-2.0
// Shared libraries that are opened at run time, so that weft builds and starts without them.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "core/message.hpp"

namespace weft {

/// Opens the first library of a list; never closed, since its code may run until the process ends.
class Library {
 public:
  /// @param what  what the library is, for messages: "NVRTC"
  /// @throws Error kDeviceError with the loader's reason when none of `names` can be opened
  Library(std::string what, std::initializer_list<const char*> names) : what_(std::move(what)) {
    std::string reasons;
    for (const char* name : names) {
      handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
      reasons += fmt::format("; {}", dlerror());
    }
    throw device_error("{} cannot be opened: install it or put its folder into LD_LIBRARY_PATH{}",
                       what_, reasons);
  }

  /// @throws Error kDeviceError when the library has no such function
  template <class Fn>
  void find(Fn*& function, const char* name) const {
    function = reinterpret_cast<Fn*>(dlsym(handle_, name));
    if (function == nullptr) {
      throw device_error("{} has no function {}: install a newer version", what_, name);
    }
  }

 private:
  std::string what_;
  void* handle_ = nullptr;
};

}  // namespace weft
