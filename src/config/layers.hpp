// SPDX-License-Identifier: Apache-2.0
// Where database files are looked for, highest layer first.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/read_file.hpp"
#include "weft/database.hpp"

namespace weft::config {

/// One tree of files: a folder, or the files compiled into the library.
class Layer {
 public:
  /// @param name  as in FoundEntry::layer
  Layer(std::string name, std::filesystem::path root);
  static Layer shipped();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// How messages call the file: its path, or "embedded:<relative path>".
  [[nodiscard]] std::string file_name(const std::string& relative_path) const;
  [[nodiscard]] FileText read(const std::string& relative_path) const;
  /// Keys that have a file here, in any order. Folders that cannot be read count as empty.
  [[nodiscard]] std::vector<DatabaseKey> keys() const;

 private:
  Layer() = default;
  std::string name_;
  std::filesystem::path root_;
  bool embedded_ = false;
};

/// WEFT_DB_PATH, the user's, the site's (XDG_DATA_DIRS) and the shipped layer. The current
/// directory is never one: a relative path gives an issue and is left out.
std::vector<Layer> default_layers(std::vector<DatabaseIssue>& issues);

}  // namespace weft::config
