// SPDX-License-Identifier: Apache-2.0
// Compiled kernels on disk, one file a key. A file is complete or absent: it is renamed into place.
//
//   weft-kernel 1 <digest of the rest> <bytes of machine code> <bytes of log>\n<machine code><log>
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "jit/nvrtc.hpp"

namespace weft::jit {

class KernelCache {
 public:
  explicit KernelCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// WEFT_CACHE_DIR, else XDG_CACHE_HOME/weft, else ~/.cache/weft; below it "kernels".
  static std::filesystem::path default_folder();

  [[nodiscard]] std::filesystem::path path(const std::string& key) const {
    return folder_ / (key + ".cubin");
  }
  /// Nothing if there is no file, or a damaged one.
  [[nodiscard]] std::optional<Object> load(const std::string& key) const;
  /// Several threads and processes may store the same key. @throws Error kDeviceError
  void store(const std::string& key, const Object& object) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace weft::jit
