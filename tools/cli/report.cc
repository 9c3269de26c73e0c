// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "config/entry_json.hpp"
#include "config/fused_config_json.hpp"

namespace weft::cli {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(double value) { return value == 0 ? ordered_json() : ordered_json(value); }

/// In the order of the struct's fields, the variant first.
ordered_json config_json(const FusedConfig& config) {
  const nlohmann::json stored = config::to_json(config);
  ordered_json object{{"variant", stored.at("variant")}};
  for (const config::ConfigField& field : config::kConfigFields) {
    object[field.name] = stored.at(field.name);
  }
  // NOTE: the rest of the stored form, so that a new field cannot be forgotten here.
  object.update(ordered_json(stored));
  return object;
}

}  // namespace

std::string line(std::string_view name, std::string_view value) {
  return fmt::format("{:<10} {}\n", name, value);
}

std::string config_text(const FusedConfig& config) {
  std::string text;
  const ordered_json stored = config_json(config);
  for (const auto& [name, value] : stored.items()) {
    text += fmt::format("  {:<22} {}\n", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string claim_text(const Entry& e) {
  std::string text = fmt::format("{}, {}", to_string(e.stage), to_string(e.status));
  if (e.speedup > 0) {
    text += fmt::format(", {:.3f}x", e.speedup);
    if (e.speedup_lo > 0) text += fmt::format(" [{:.3f} {:.3f}]", e.speedup_lo, e.speedup_hi);
    text += fmt::format(" over {} pairs", e.pairs);
  }
  if (e.claimed_speedup > 0) text += fmt::format(", claimed {:.3f}x", e.claimed_speedup);
  if (e.claimed_tflops > 0) text += fmt::format(", claimed {:.1f} TFLOP/s", e.claimed_tflops);
  if (e.trials > 0) text += fmt::format(", {} trials", e.trials);
  if (!e.label.empty()) text += fmt::format(", label {}", e.label);
  return text;
}

std::string selection_text(const Selection& s) {
  std::string text = line("variant", to_string(s.variant)) + line("source", to_string(s.source)) +
                     line("reason", fmt::format("{}: {}", s.reason, s.text)) +
                     line("guard", s.guard ? "on" : "off");
  if (s.bound_used > 0) text += line("bound", fmt::format("{:.3f}x", s.bound_used));
  if (s.distance > 0) text += line("distance", fmt::format("{:.3f} octaves", s.distance));
  if (!s.entry) return text;
  const Entry& e = s.entry->entry;
  text += line("entry", fmt::format("{}x{}x{}: {}", e.m, e.n, e.k, claim_text(e)));
  text += line("from", fmt::format("{}, {}", s.entry->layer, s.entry->file));
  if (!e.description.empty()) text += line("about", e.description);
  if (!e.note.empty()) text += line("note", e.note);
  return text;
}

ordered_json entry_json(const FoundEntry& found) {
  ordered_json object = ordered_json(config::to_json(found.entry));
  object["config"] = config_json(found.entry.config);
  object["layer"] = found.layer;
  object["file"] = found.file;
  if (!(found.environment == Environment{})) {
    object["environment"] = ordered_json(config::to_json(found.environment));
  }
  return object;
}

ordered_json selection_json(const Selection& s) {
  ordered_json rungs = ordered_json::array();
  for (const RungReport& r : s.rungs) {
    rungs.push_back({{"rung", to_string(r.rung)},
                     {"answered", r.answered},
                     {"reason", r.reason},
                     {"text", r.text}});
  }
  return {{"variant", to_string(s.variant)},
          {"source", to_string(s.source)},
          {"reason", s.reason},
          {"config", s.config ? config_json(*s.config) : ordered_json()},
          {"entry", s.entry ? entry_json(*s.entry) : ordered_json()},
          {"guard", s.guard},
          {"bound_used", or_null(s.bound_used)},
          {"distance", s.distance},
          {"layer", s.entry ? ordered_json(s.entry->layer) : ordered_json()},
          {"rungs", std::move(rungs)}};
}

ordered_json issues_json(const std::vector<DatabaseIssue>& issues) {
  ordered_json list = ordered_json::array();
  for (const DatabaseIssue& issue : issues) {
    list.push_back({{"file", issue.file}, {"place", issue.place}, {"rule", issue.rule}});
  }
  return list;
}

}  // namespace weft::cli
