// SPDX-License-Identifier: Apache-2.0
#include "config/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>

#include "config/file.hpp"
#include "config/key.hpp"
#include "config/read_file.hpp"

namespace weft::config {
namespace {

namespace fs = std::filesystem;

// The part of `path` that would be a key's, "<op>/<device>/<name>".
std::optional<DatabaseKey> key_of(const fs::path& path) {
  const fs::path device = path.parent_path();
  return parse_relative_path(fmt::format("{}/{}/{}", device.parent_path().filename().string(),
                                         device.filename().string(), path.filename().string()));
}

}  // namespace

std::vector<DatabaseIssue> check_file(const fs::path& path) {
  const FileText text = read_file(path);
  if (text.state == FileText::State::kMissing) {
    return {{path.string(), "file", "there is no such file; check the path"}};
  }
  if (text.state == FileText::State::kUnreadable) {
    return {{path.string(), "file", fmt::format("cannot be read: {}", text.reason)}};
  }
  const std::optional<DatabaseKey> key = key_of(fs::absolute(path).lexically_normal());
  return parse_file(text.text, path.string(), key ? &*key : nullptr).issues;
}

std::vector<DatabaseIssue> check_tree(const fs::path& root) {
  std::vector<fs::path> files;
  for (const std::string_view op : kOps) {
    std::error_code error;
    fs::recursive_directory_iterator at(root / op, error);
    while (!error && at != fs::recursive_directory_iterator()) {
      if (at->path().extension() == ".json") files.push_back(at->path());
      at.increment(error);
    }
  }
  if (files.empty()) {
    return {{root.string(), "folder",
             fmt::format("there is no file {}/<op>/<device>/<key>.json; check the path",
                         root.string())}};
  }
  std::sort(files.begin(), files.end());
  std::vector<DatabaseIssue> issues;
  for (const fs::path& file : files) {
    if (!parse_relative_path(file.lexically_relative(root).generic_string())) {
      issues.push_back({file.string(), "path",
                        "no look-up finds this name; it must be <op>/<device>/<dtype>_<layout>_"
                        "<shard_dim>_ws<W>_<link>.json"});
    }
    std::vector<DatabaseIssue> found = check_file(file);
    issues.insert(issues.end(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
  }
  return issues;
}

}  // namespace weft::config
