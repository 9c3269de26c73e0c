// SPDX-License-Identifier: Apache-2.0
#include "config/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "config/embedded.hpp"
#include "config/key.hpp"
#include "core/env.hpp"

namespace weft {

namespace {
// Below every XDG data folder; v1 is the version of the tree, not of the library.
constexpr const char* kTree = "weft/v1";
}  // namespace

std::filesystem::path user_database_root() {
  return env::absolute_path("XDG_DATA_HOME").value_or(env::home() / ".local/share") / kTree;
}

}  // namespace weft

namespace weft::config {
namespace {

namespace fs = std::filesystem;

void append_relative(std::vector<std::string>& out, const std::string& list) {
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin && list[begin] != '/') out.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

// The XDG rule: relative paths are ignored. Here with a message.
void report_relative(const char* variable, std::vector<DatabaseIssue>& issues) {
  std::vector<std::string> relative;
  append_relative(relative, env::text(variable).value_or(""));
  for (std::string& path : relative) {
    issues.push_back({std::move(path), variable,
                      "T011: the path is relative; it must be absolute and is ignored"});
  }
}

// Names of the entries of a folder; empty if it cannot be read.
std::vector<fs::path> list(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  while (!error && at != fs::directory_iterator()) {
    paths.push_back(at->path());
    at.increment(error);
  }
  return paths;
}

}  // namespace

Layer::Layer(std::string name, fs::path root) : name_(std::move(name)), root_(std::move(root)) {}

Layer Layer::shipped() {
  Layer layer;
  layer.name_ = "shipped";
  layer.embedded_ = true;
  return layer;
}

std::string Layer::file_name(const std::string& relative_path) const {
  return embedded_ ? "embedded:" + relative_path : (root_ / relative_path).string();
}

FileText Layer::read(const std::string& relative_path) const {
  if (!embedded_) return read_file(root_ / relative_path);
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.relative_path == relative_path) {
      return {FileText::State::kRead, std::string(file.text), ""};
    }
  }
  return {};
}

std::vector<DatabaseKey> Layer::keys() const {
  std::vector<DatabaseKey> keys;
  const auto add = [&](std::string_view relative_path) {
    if (auto key = parse_relative_path(relative_path)) keys.push_back(std::move(*key));
  };
  if (embedded_) {
    for (const EmbeddedFile& file : embedded_files()) add(file.relative_path);
    return keys;
  }
  for (const fs::path& op : list(root_)) {
    for (const fs::path& device : list(op)) {
      for (const fs::path& file : list(device)) {
        add(fmt::format("{}/{}/{}", op.filename().native(), device.filename().native(),
                        file.filename().native()));
      }
    }
  }
  return keys;
}

std::vector<Layer> default_layers(std::vector<DatabaseIssue>& issues) {
  for (const char* name : {"WEFT_DB_PATH", "XDG_DATA_HOME", "XDG_DATA_DIRS"}) {
    report_relative(name, issues);
  }
  std::vector<Layer> layers;
  for (const fs::path& root : env::path_list("WEFT_DB_PATH")) {
    layers.emplace_back("path:" + root.string(), root);
  }
  layers.emplace_back("user", user_database_root());
  std::vector<fs::path> site{"/usr/local/share", "/usr/share"};
  if (env::text("XDG_DATA_DIRS")) site = env::path_list("XDG_DATA_DIRS");
  for (const fs::path& root : site) layers.emplace_back("site:" + root.string(), root / kTree);
  layers.push_back(Layer::shipped());
  return layers;
}

}  // namespace weft::config
