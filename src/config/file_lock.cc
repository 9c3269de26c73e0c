// SPDX-License-Identifier: Apache-2.0
#include "config/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "core/message.hpp"

namespace weft::config {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0666;  // less what the umask takes away
constexpr const char* kElsewhere =
    "free space or correct its permissions, or set XDG_DATA_HOME to another folder";

Error cannot_write(const fs::path& path, const char* step, int error) {
  return device_error("T019: cannot write {}: {} failed: {}; {}; nothing was changed",
                      path.string(), step, std::strerror(error), kElsewhere);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

using Clock = std::chrono::steady_clock;
struct Wait {
  Clock::time_point deadline;
  std::chrono::milliseconds limit;
};

Descriptor lock(const fs::path& path, const Wait& wait) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode));
  if (file.get() < 0) throw cannot_write(path, "opening it", errno);
  std::chrono::milliseconds pause{1};
  constexpr std::chrono::milliseconds kLongestPause{5};
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      throw device_error(
          "T019: cannot lock {}: {}; the file system may have no flock; set "
          "XDG_DATA_HOME to a folder on a local disk; nothing was changed",
          path.string(), std::strerror(errno));
    }
    if (Clock::now() >= wait.deadline) {
      throw device_error(
          "T019: other processes held {} for {} ms; try again when they have ended; "
          "nothing was changed",
          path.string(), wait.limit.count());
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  return Descriptor(file.release());
}

// A temporary file that is gone again unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) {
    static std::atomic<std::uint64_t> counter{0};
    path_ = fmt::format("{}.tmp-{}-{}", target.string(), ::getpid(), counter++);
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kMode);
    if (fd_ < 0) throw cannot_write(target, "creating a file in its folder", errno);
  }
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!renamed_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Each step returns 0 or an errno value.
  int write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(fd_) == 0 ? 0 : errno;
  }
  int close() {
    const int result = ::close(fd_);
    fd_ = -1;
    return result == 0 ? 0 : errno;
  }
  int rename_to(const fs::path& target) {
    if (std::rename(path_.c_str(), target.c_str()) != 0) return errno;
    renamed_ = true;
    return 0;
  }

 private:
  std::string path_;
  int fd_ = -1;
  bool renamed_ = false;
};

}  // namespace

FileLock::FileLock(const fs::path& path, std::chrono::milliseconds limit) {
  const Wait wait{Clock::now() + limit, limit};
  const Descriptor turn = lock(path.string() + ".next", wait);
  fd_ = lock(path, wait).release();
}

FileLock::~FileLock() { ::close(fd_); }

void replace_file(const fs::path& path, std::string_view text) {
  TemporaryFile temporary(path);
  if (const int error = temporary.write_all(text)) throw cannot_write(path, "writing", error);
  if (const int error = temporary.close()) throw cannot_write(path, "closing", error);
  if (const int error = temporary.rename_to(path)) throw cannot_write(path, "renaming", error);
  // The new file is in place; a folder that cannot be synced only weakens power-cut safety.
  const int folder = ::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

}  // namespace weft::config
