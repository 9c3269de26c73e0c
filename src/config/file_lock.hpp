// SPDX-License-Identifier: Apache-2.0
// An exclusive lock between processes, and the safe replacement of a file under it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

namespace weft::config {

/// Holds flock(2) on a file of its own, which stays behind: removing it would let two writers in.
/// Who waits queues at a second file, "<path>.next", so that a process which locks again and again
/// cannot starve the others.
class FileLock {
 public:
  static constexpr std::chrono::milliseconds kLimit{10'000};
  /// @throws Error kDeviceError: not granted within `limit`, not supported here, or not creatable
  explicit FileLock(const std::filesystem::path& path, std::chrono::milliseconds limit = kLimit);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_ = -1;
};

/// Writes `text` beside `path`, syncs it, renames it over `path`, syncs the folder. A reader sees
/// the old bytes or the new ones. @throws Error kDeviceError; the old file is intact then
void replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace weft::config
