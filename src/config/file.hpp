// SPDX-License-Identifier: Apache-2.0
// One file of the database: text <-> DatabaseFile. Reading never throws for bad text; writing gives
// the same bytes for the same contents.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/database.hpp"

namespace weft::config {

/// Contents of one file.
struct DatabaseFile {
  DatabaseKey key;
  std::map<std::string, Environment> environments;  ///< by the id that entries name
  std::vector<Entry> entries;                       ///< sorted by (m, n, k), each shape once
  double best_claimed_speedup = 0;                  ///< over all entries of the source; 0: none
  std::string disabled_reason;                      ///< why the source turned the file off
  std::string source;                               ///< where imported entries come from
  std::string note;                                 ///< about the file as a whole
  std::string command;                              ///< that wrote the file last
  friend bool operator==(const DatabaseFile&, const DatabaseFile&) = default;
};

/// `file` is empty if the whole file is to be skipped: one issue says why. Otherwise one issue for
/// each entry or environment that was left out.
struct ParsedFile {
  std::optional<DatabaseFile> file;
  std::vector<DatabaseIssue> issues;
};

/// @param name      for messages
/// @param expected  the key that the file's path stands for; nullptr: do not compare
ParsedFile parse_file(std::string_view text, const std::string& name, const DatabaseKey* expected);

/// Sorted keys, one entry and one environment a line, plain decimals, LF, final newline. Entries
/// are sorted; environments that no entry names are left out.
std::string write_file(const DatabaseFile& file);

/// Id of an environment: 16 hex digits over its contents.
std::string environment_id(const Environment& environment);

/// Orders entries as files do.
bool shape_less(const Entry& a, const Entry& b) noexcept;
bool same_shape(const Entry& a, const Entry& b) noexcept;

}  // namespace weft::config
