// SPDX-License-Identifier: Apache-2.0
// The only writer of the database.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "config/entry_json.hpp"
#include "config/file.hpp"
#include "config/file_lock.hpp"
#include "config/json_strict.hpp"
#include "config/key.hpp"
#include "config/read_file.hpp"
#include "core/message.hpp"
#include "weft/database.hpp"

namespace weft {
namespace {

using config::DatabaseFile;
namespace fs = std::filesystem;

// What stands there now. A file that this library reads only in part is refused: writing it anew
// would lose the rest.
DatabaseFile read_present(const fs::path& path, const DatabaseKey& key) {
  constexpr const char* kRemedy = "repair it (weft db check) or move it away; nothing was changed";
  const config::FileText text = config::read_file(path);
  DatabaseFile empty;
  empty.key = key;
  if (text.state == config::FileText::State::kMissing) return empty;
  if (text.state == config::FileText::State::kUnreadable) {
    throw device_error("T019: cannot read {}: {}; {}", path.string(), text.reason, kRemedy);
  }
  config::ParsedFile parsed = config::parse_file(text.text, path.string(), &key);
  if (!parsed.issues.empty()) {
    const DatabaseIssue& issue = parsed.issues.front();
    throw invalid_argument("{}: {}: {}; {}", issue.file, issue.place, issue.rule, kRemedy);
  }
  return std::move(*parsed.file);
}

void merge_entry(DatabaseFile& file, Entry entry) {
  const auto present = std::find_if(file.entries.begin(), file.entries.end(),
                                    [&](const Entry& e) { return config::same_shape(e, entry); });
  if (present == file.entries.end()) {
    file.entries.push_back(std::move(entry));
  } else if (entry.tuned_at >= present->tuned_at) {
    *present = std::move(entry);
  }
}

}  // namespace

void merge_entries(const fs::path& root, const DatabaseKey& key, const std::vector<Entry>& entries,
                   const Environment& environment, std::string_view command) {
  config::check_key(key);
  const std::string id = config::environment_id(environment);
  std::vector<Entry> stamped = entries;
  for (Entry& entry : stamped) {
    entry.env = entry.stage == EntryStage::kImported ? "" : id;
    try {
      // The round trip holds the entry to exactly what the loader will accept.
      entry = config::entry_from_json(config::to_json(entry), key);
    } catch (const Error& e) {
      throw invalid_argument("{}: {}; nothing was changed", config::place_of(entry), e.what());
    }
  }
  const fs::path path = root / key.relative_path();
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    throw device_error(
        "T019: cannot create {}: {}; correct its permissions, or set XDG_DATA_HOME "
        "to another folder; nothing was changed",
        path.parent_path().string(), error.message());
  }
  const config::FileLock lock(path.string() + ".lock");
  DatabaseFile file = read_present(path, key);
  file.environments.emplace(id, environment);
  file.command = std::string(command.substr(0, config::kMaxCommandBytes));
  for (Entry& entry : stamped) merge_entry(file, std::move(entry));
  const std::string text = config::write_file(file);
  if (text.size() >= config::kMaxJsonBytes) {
    throw device_error(
        "T019: {} would grow to {} bytes, which is over the limit of {}; move it "
        "away to start afresh; nothing was changed",
        path.string(), text.size(), config::kMaxJsonBytes);
  }
  config::replace_file(path, text);
}

}  // namespace weft
