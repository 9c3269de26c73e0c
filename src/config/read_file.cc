// SPDX-License-Identifier: Apache-2.0
#include "config/read_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "config/json_strict.hpp"

namespace weft::config {
namespace {

FileText unreadable(std::string reason) {
  return {FileText::State::kUnreadable, "", std::move(reason)};
}

FileText read_all(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return unreadable(std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return unreadable("it is not a regular file");
  if (static_cast<std::uint64_t>(info.st_size) >= kMaxJsonBytes) {
    return unreadable(fmt::format("it has {} bytes; a database file must stay under {}",
                                  info.st_size, kMaxJsonBytes));
  }
  FileText file{FileText::State::kRead, std::string(static_cast<std::size_t>(info.st_size), '\0'),
                ""};
  std::size_t done = 0;
  while (done < file.text.size()) {
    const ssize_t got = ::read(fd, file.text.data() + done, file.text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  file.text.resize(done);
  return file;
}

}  // namespace

FileText read_file(const std::filesystem::path& path) {
  // NOTE: non-blocking, so that a pipe in the file's place does not stop the program.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return unreadable(std::strerror(errno));
  }
  FileText file = read_all(fd);
  ::close(fd);
  return file;
}

}  // namespace weft::config
