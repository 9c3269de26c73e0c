// SPDX-License-Identifier: Apache-2.0
// A file that exists completely or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace weft::cli {

/// Writes beside `path` and renames on commit; without commit nothing is left behind. A path that
/// exists and is no regular file (a device, a pipe) is written in place.
class OutputFile {
 public:
  /// @throws Error kDeviceError when the folder or the file is not writable
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// @throws Error kDeviceError when the disk is full; the old file, if any, is untouched
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  /// Makes the file appear under its name. @throws Error kDeviceError
  void commit();

 private:
  [[noreturn]] void fail(const char* action, int error_number);

  std::filesystem::path path_;
  std::filesystem::path temporary_;  ///< empty when writing in place
  int descriptor_ = -1;
};

}  // namespace weft::cli
