// SPDX-License-Identifier: Apache-2.0
// Reads a regular file that may be absent, huge or something else altogether.
#pragma once

#include <filesystem>
#include <string>

namespace weft::config {

struct FileText {
  enum class State { kRead, kMissing, kUnreadable };
  State state = State::kMissing;
  std::string text;    ///< kRead: all bytes
  std::string reason;  ///< kUnreadable: a sentence
};

/// Never blocks on pipes and never reads more than kMaxJsonBytes; does not throw.
FileText read_file(const std::filesystem::path& path);

}  // namespace weft::config
