// SPDX-License-Identifier: Apache-2.0
#include "output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/message.hpp"

namespace weft::cli {

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path_, ignored);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC;
  constexpr mode_t kMode = 0666;
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    descriptor_ = ::open(path_.c_str(), kFlags, kMode);
  } else {
    // A link stays a link: what it names is replaced.
    if (std::filesystem::exists(status)) path_ = std::filesystem::canonical(path_);
    temporary_ = path_.string() + fmt::format(".{}.tmp", ::getpid());
    descriptor_ = ::open(temporary_.c_str(), kFlags | O_EXCL, kMode);
  }
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("create", errno);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(const char* action, int error_number) {
  throw device_error(
      "cannot {} '{}' ({}); nothing was left behind: free space, or choose a folder "
      "that you may write",
      action, path_.string(), std::strerror(error_number));
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("write", written < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  // NOTE: pipes and devices know no fsync; EINVAL says so.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail("write", errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail("write", errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("create", errno);
  temporary_.clear();
}

}  // namespace weft::cli
