// SPDX-License-Identifier: Apache-2.0
// One line on stderr that says how far a long command is.
#pragma once

#include <cstdio>
#include <string>

namespace weft::cli {

/// Rewrites the line on a terminal; elsewhere prints one at most every ten seconds.
class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* out);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const std::string& text);
  /// Takes the line away, so that other output can follow.
  void clear();

 private:
  std::FILE* out_;
  bool terminal_;
  bool shown_ = false;
  double last_ = 0;  // seconds; 0: never
};

/// "about 40 s left", "about 3 min left".
/// @param seconds   spent so far
/// @param fraction  of all work that is done, above 0
std::string time_left(double seconds, double fraction);

}  // namespace weft::cli
