// SPDX-License-Identifier: Apache-2.0
// weft db: what the database claims, and whether its files are sound.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/check.hpp"
#include "config/file.hpp"
#include "config/layers.hpp"
#include "core/message.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace weft::cli {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kPurpose =
    "Show and check the tuned database. Its layers, highest first: WEFT_DB_PATH, the user's, the\n"
    "site's, and the one shipped inside weft; each shape is taken from the highest layer that has\n"
    "it. 'weft info' shows where the layers are.";

constexpr const char* kExamples =
    "Examples:\n"
    "  weft db list --sort speedup\n"
    "  weft db show 131072 16384 16384 --world-size 8 --arch gfx942 --dtype f16\n"
    "  weft db check                  all layers; exit code 1 if anything is wrong\n"
    "  weft db check configs x.json   folders laid out as a layer, or single files";

/// An entry with the key it is stored under.
struct Row {
  DatabaseKey key;
  FoundEntry found;
};

double speedup_of(const Entry& e) { return e.speedup > 0 ? e.speedup : e.claimed_speedup; }

std::vector<Row> all_rows() {
  const std::shared_ptr<ConfigDatabase> database = ConfigDatabase::open_default();
  std::vector<Row> rows;
  for (const DatabaseKey& key : database->keys()) {
    for (const FoundEntry& found : database->find(key)->entries) rows.push_back({key, found});
  }
  return rows;
}

ordered_json row_json(const Row& row) {
  ordered_json object = {{"device", row.key.device},
                         {"dtype", to_string(row.key.dtype)},
                         {"layout", to_string(row.key.layout)},
                         {"shard_dim", to_string(row.key.shard_dim)},
                         {"world_size", row.key.world_size},
                         {"link", row.key.link}};
  object.update(entry_json(row.found));
  return object;
}

std::string bounds_text(const Entry& e) {
  return e.speedup_lo > 0 ? fmt::format("[{:.3f} {:.3f}]", e.speedup_lo, e.speedup_hi) : "-";
}

int list(const std::string& sort, bool json) {
  std::vector<Row> rows = all_rows();
  if (sort == "speedup") {
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return speedup_of(a.found.entry) > speedup_of(b.found.entry);
    });
  }
  if (json) {
    ordered_json entries = ordered_json::array();
    for (const Row& row : rows) entries.push_back(row_json(row));
    print_json({{"entries", std::move(entries)}});
    return kOk;
  }
  Table table({"device", "link", "ws", "shard", "dtype", "layout", "M", "N", "K", "variant",
               "status", "stage", "speedup", "bounds", "layer"});
  for (const Row& row : rows) {
    const Entry& e = row.found.entry;
    table.add({row.key.device, row.key.link, fmt::format("{}", row.key.world_size),
               std::string(to_string(row.key.shard_dim)), std::string(to_string(row.key.dtype)),
               std::string(to_string(row.key.layout)), fmt::format("{}", e.m),
               fmt::format("{}", e.n), fmt::format("{}", e.k),
               std::string(to_string(e.config.variant)), std::string(to_string(e.status)),
               std::string(to_string(e.stage)),
               speedup_of(e) > 0 ? fmt::format("{:.3f}x", speedup_of(e)) : "-", bounds_text(e),
               row.found.layer});
  }
  fmt::print("{}{} entries; an imported speedup is what its source claims\n", table.text(),
             rows.size());
  return kOk;
}

int show(const ProblemOptions& options, bool json) {
  const Problem problem = to_problem(options);
  const TargetChip chip = target_chip(options);
  const DatabaseKey key = database_key(problem, chip.arch, chip.link);
  const auto known = ConfigDatabase::open_default()->find(key);
  const auto found =
      std::find_if(known->entries.begin(), known->entries.end(), [&](const FoundEntry& f) {
        return f.entry.m == problem.m && f.entry.n == problem.n && f.entry.k == problem.k;
      });
  if (found == known->entries.end()) {
    fmt::print(stderr,
               "weft: no entry for {} in any {} ({} other shapes there); see 'weft db list'\n",
               to_string(problem), key.relative_path(), known->entries.size());
    return kCheckFailed;
  }
  if (json) {
    print_json(row_json({key, *found}));
    return kOk;
  }
  std::string text = line("key", key.relative_path()) + line("claim", claim_text(found->entry)) +
                     line("from", fmt::format("{}, {}", found->layer, found->file));
  text += "stored\n";
  const ordered_json stored = entry_json(*found);
  for (const auto& [name, value] : stored.items()) {
    if (name == "config" || name == "environment") continue;
    text += fmt::format("  {:<22} {}\n", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  text += "configuration\n" + config_text(found->entry.config);
  fmt::print("{}", text);
  return kOk;
}

/// A winner whose configuration `validate` refuses would never be selected.
void check_legality(const DatabaseKey& key, const std::string& file,
                    const std::vector<Entry>& entries, std::vector<DatabaseIssue>& issues) {
  for (const Entry& e : entries) {
    if (e.status != EntryStatus::kWin) continue;
    const Problem problem{.m = e.m,
                          .n = e.n,
                          .k = e.k,
                          .world_size = key.world_size,
                          .shard_dim = key.shard_dim,
                          .dtype = key.dtype,
                          .layout = key.layout};
    const Validation verdict = validate(e.config, problem, parse_arch(key.device));
    if (verdict.legal) continue;
    issues.push_back(
        {file, fmt::format("entry {}x{}x{}", e.m, e.n, e.k),
         fmt::format("it wins, but its configuration is not legal: {}", verdict.reason)});
  }
}

/// Issues of what the layer's look-ups can find, the legality of winners included.
void check_layer(const config::Layer& layer, bool contents, std::vector<DatabaseIssue>& issues) {
  for (const DatabaseKey& key : layer.keys()) {
    const std::string path = key.relative_path();
    const config::FileText text = layer.read(path);
    if (text.state != config::FileText::State::kRead) continue;
    const config::ParsedFile parsed = config::parse_file(text.text, layer.file_name(path), &key);
    if (contents) issues.insert(issues.end(), parsed.issues.begin(), parsed.issues.end());
    if (parsed.file) {
      check_legality(key, layer.file_name(path), parsed.file->entries, issues);
    }
  }
}

void check_folder(const fs::path& root, std::vector<DatabaseIssue>& issues) {
  std::vector<DatabaseIssue> found = config::check_tree(root);
  issues.insert(issues.end(), std::make_move_iterator(found.begin()),
                std::make_move_iterator(found.end()));
  check_layer({"path:" + root.string(), root}, false, issues);
}

std::vector<DatabaseIssue> check_paths(const std::vector<std::string>& paths) {
  std::vector<DatabaseIssue> issues;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) {
      throw invalid_argument("'{}' does not exist; name database folders or files", path);
    }
    if (fs::is_directory(path, error)) {
      check_folder(path, issues);
    } else {
      for (DatabaseIssue& issue : config::check_file(path)) issues.push_back(std::move(issue));
    }
  }
  return issues;
}

std::vector<DatabaseIssue> check_all_layers() {
  std::vector<DatabaseIssue> issues;
  for (const config::Layer& layer : config::default_layers(issues)) {
    check_layer(layer, true, issues);
  }
  return issues;
}

int check(const std::vector<std::string>& paths, bool json) {
  const std::vector<DatabaseIssue> issues = paths.empty() ? check_all_layers() : check_paths(paths);
  if (json) {
    print_json({{"ok", issues.empty()}, {"issues", issues_json(issues)}});
  } else {
    for (const DatabaseIssue& issue : issues) {
      fmt::print("{}: {}: {}\n", issue.file, issue.place, issue.rule);
    }
    fmt::print("{}\n", issues.empty() ? "ok"
                                      : fmt::format("{} issue{}", issues.size(),
                                                    issues.size() == 1 ? "" : "s"));
  }
  return issues.empty() ? kOk : kCheckFailed;
}

void add_list(CLI::App& db, Context& context) {
  CLI::App* verb = db.add_subcommand("list", "List every entry of every layer, losers included");
  auto sort = std::make_shared<std::string>("shape");
  verb->add_option("--sort", *sort, "Order of the entries: shape, or speedup (largest first)")
      ->check(CLI::IsMember({"shape", "speedup"}))
      ->capture_default_str();
  add_json_option(*verb, context);
  verb->footer(help_footer(kExamples));
  verb->callback([&context, sort] { context.exit = list(*sort, context.json); });
}

void add_show(CLI::App& db, Context& context) {
  CLI::App* verb = db.add_subcommand(
      "show", "Show all that is stored about one shape; exit code 1 if there is no entry");
  auto options = std::make_shared<ProblemOptions>();
  add_problem_options(*verb, *options, Sizes::kRequired, Target::kAny);
  add_json_option(*verb, context);
  verb->footer(help_footer(kExamples));
  verb->callback([&context, options] { context.exit = show(*options, context.json); });
}

void add_check(CLI::App& db, Context& context) {
  CLI::App* verb = db.add_subcommand(
      "check",
      "Check files: syntax, types, evidence, and that winners are legal; exit code 1 on "
      "any issue");
  auto paths = std::make_shared<std::vector<std::string>>();
  verb->add_option("PATH", *paths,
                   "Folders laid out as a layer, or files [every layer, the shipped one included]");
  add_json_option(*verb, context);
  verb->footer(help_footer(kExamples));
  verb->callback([&context, paths] { context.exit = check(*paths, context.json); });
}

}  // namespace

void add_db(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("db", kPurpose);
  verb->require_subcommand(0, 1);
  verb->callback([verb] { require_verb(*verb); });
  verb->footer(help_footer(kExamples));
  add_list(*verb, context);
  add_show(*verb, context);
  add_check(*verb, context);
}

}  // namespace weft::cli
