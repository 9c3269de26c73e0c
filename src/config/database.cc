// SPDX-License-Identifier: Apache-2.0
// The layered, cached view. Look-ups of a known key take a shared lock and one hash look-up.
#include "weft/database.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "config/file.hpp"
#include "config/hash.hpp"
#include "config/key.hpp"
#include "config/layers.hpp"
#include "core/log.hpp"
#include "core/message.hpp"

namespace weft {
namespace {

using config::Layer;

// One notice a file, however many entries it loses.
void log_issues(const std::vector<DatabaseIssue>& issues) {
  for (std::size_t i = 0; i < issues.size();) {
    const DatabaseIssue& first = issues[i];
    std::size_t end = i + 1;
    while (end < issues.size() && issues[end].file == first.file) ++end;
    const std::string more =
        end - i > 1 ? fmt::format(" ({} more in this file: weft db check)", end - i - 1) : "";
    log::notice("{}: {}: {}{}", first.file, first.place, first.rule, more);
    i = end;
  }
}

class LayeredDatabase final : public ConfigDatabase {
 public:
  LayeredDatabase(std::vector<Layer> layers, std::vector<DatabaseIssue> issues)
      : layers_(std::move(layers)), path_issues_(std::move(issues)), issues_(path_issues_) {
    log_issues(issues_);
  }

  std::shared_ptr<const KeyEntries> find(const DatabaseKey& key) override {
    for (;;) {
      std::uint64_t generation = 0;
      {
        const std::shared_lock lock(mutex_);
        const auto found = cache_.find(key);
        if (found != cache_.end()) return found->second;
        generation = generation_;
      }
      std::vector<DatabaseIssue> fresh;
      auto entries = std::make_shared<const KeyEntries>(load(key, fresh));
      const std::unique_lock lock(mutex_);
      if (generation != generation_) continue;  // read before a reload: out of date
      const auto [slot, inserted] = cache_.emplace(key, std::move(entries));
      if (inserted) {
        log_issues(fresh);
        issues_.insert(issues_.end(), fresh.begin(), fresh.end());
      }
      return slot->second;
    }
  }

  std::vector<DatabaseKey> keys() override {
    std::map<std::string, DatabaseKey> sorted;
    for (const Layer& layer : layers_) {
      for (DatabaseKey& key : layer.keys()) sorted.emplace(key.relative_path(), std::move(key));
    }
    std::vector<DatabaseKey> keys;
    keys.reserve(sorted.size());
    for (auto& [path, key] : sorted) keys.push_back(std::move(key));
    return keys;
  }

  void reload() override {
    const std::unique_lock lock(mutex_);
    cache_.clear();
    issues_ = path_issues_;
    digest_.clear();
    ++generation_;
  }

  [[nodiscard]] std::uint64_t generation() const noexcept override { return generation_; }

  [[nodiscard]] std::vector<DatabaseIssue> issues() const override {
    const std::shared_lock lock(mutex_);
    return issues_;
  }

  std::string digest() override {
    {
      const std::shared_lock lock(mutex_);
      if (!digest_.empty()) return digest_;
    }
    const std::uint64_t generation = generation_;
    std::string hex = compute_digest();
    const std::unique_lock lock(mutex_);
    if (generation == generation_) digest_ = hex;
    return hex;
  }

 private:
  KeyEntries load(const DatabaseKey& key, std::vector<DatabaseIssue>& issues) const {
    KeyEntries all;
    try {
      config::check_key(key);
    } catch (const Error&) {
      return all;  // no file has such a name, for example for device "unknown/.."
    }
    const std::string path = key.relative_path();
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, FoundEntry> shapes;
    for (const Layer& layer : layers_) {
      const config::FileText text = layer.read(path);
      const std::string name = layer.file_name(path);
      if (text.state == config::FileText::State::kMissing) continue;
      if (text.state == config::FileText::State::kUnreadable) {
        issues.push_back(
            {name, "file", fmt::format("cannot be read: {}; the file is skipped", text.reason)});
        continue;
      }
      config::ParsedFile parsed = config::parse_file(text.text, name, &key);
      issues.insert(issues.end(), parsed.issues.begin(), parsed.issues.end());
      if (!parsed.file) continue;
      for (Entry& entry : parsed.file->entries) {
        FoundEntry found;
        if (!entry.env.empty()) found.environment = parsed.file->environments[entry.env];
        found.layer = layer.name();
        found.file = name;
        const std::tuple shape(entry.m, entry.n, entry.k);
        found.entry = std::move(entry);
        shapes.try_emplace(shape, std::move(found));
      }
      if (all.best_claimed_speedup == 0) {
        all.best_claimed_speedup = parsed.file->best_claimed_speedup;
      }
      if (all.disabled_reason.empty()) all.disabled_reason = parsed.file->disabled_reason;
    }
    for (auto& [shape, found] : shapes) all.entries.push_back(std::move(found));
    return all;
  }

  std::string compute_digest() const {
    config::Digest digest;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      std::vector<std::string> paths;
      for (const DatabaseKey& key : layers_[i].keys()) paths.push_back(key.relative_path());
      std::sort(paths.begin(), paths.end());
      for (const std::string& path : paths) {
        // NOTE: a layer counts by its rank, not by its folder, which differs between homes.
        digest.add(fmt::format("{}/{}", i, path));
        digest.add(layers_[i].read(path).text);
      }
    }
    return digest.hex();
  }

  const std::vector<Layer> layers_;
  const std::vector<DatabaseIssue> path_issues_;  // about WEFT_DB_PATH and its like
  mutable std::shared_mutex mutex_;
  std::unordered_map<DatabaseKey, std::shared_ptr<const KeyEntries>, config::KeyHash> cache_;
  std::vector<DatabaseIssue> issues_;
  std::string digest_;
  std::atomic<std::uint64_t> generation_{0};
};

}  // namespace

DatabaseKey database_key(const Problem& problem, const Arch& arch, std::string_view link) {
  DatabaseKey key;
  key.device = arch.device();
  key.dtype = problem.dtype;
  key.layout = problem.layout;
  key.shard_dim = problem.shard_dim;
  key.world_size = problem.world_size;
  key.link = link;
  return key;
}

std::shared_ptr<ConfigDatabase> ConfigDatabase::open_default() {
  std::vector<DatabaseIssue> issues;
  std::vector<Layer> layers = config::default_layers(issues);
  return std::make_shared<LayeredDatabase>(std::move(layers), std::move(issues));
}

std::shared_ptr<ConfigDatabase> ConfigDatabase::open(std::vector<std::filesystem::path> roots,
                                                     bool with_shipped) {
  std::vector<Layer> layers;
  for (std::filesystem::path& root : roots) {
    const std::string name = "path:" + root.string();
    layers.emplace_back(name, std::move(root));
  }
  if (with_shipped) layers.push_back(Layer::shipped());
  return std::make_shared<LayeredDatabase>(std::move(layers), std::vector<DatabaseIssue>{});
}

}  // namespace weft
