// SPDX-License-Identifier: Apache-2.0
#include "config/file.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "config/entry_json.hpp"
#include "config/hash.hpp"
#include "config/json_fields.hpp"
#include "config/json_strict.hpp"
#include "config/json_writer.hpp"
#include "config/key.hpp"
#include "core/message.hpp"

namespace weft::config {
namespace {

using nlohmann::json;

constexpr std::int64_t kSchema = 1;
constexpr const char* kShapeConvention = "per_rank_product";
constexpr double kMaxSpeedup = 1e6;

struct HeaderText {
  const char* name;
  std::string DatabaseFile::*member;
  std::size_t max_bytes;
};
constexpr HeaderText kHeaderTexts[] = {
    {"disabled_reason", &DatabaseFile::disabled_reason, kMaxNoteBytes},
    {"source", &DatabaseFile::source, kMaxNoteBytes},
    {"note", &DatabaseFile::note, kMaxNoteBytes},
    {"command", &DatabaseFile::command, kMaxCommandBytes}};

DatabaseKey read_key(const Fields& header) {
  DatabaseKey key;
  key.op = header.text("op", kMaxWordBytes);
  key.device = header.text("device", kMaxWordBytes);
  key.dtype = parse_dtype(header.text("dtype", kMaxWordBytes));
  key.layout = parse_layout(header.text("layout", kMaxWordBytes));
  key.shard_dim = parse_shard_dim(header.text("shard_dim", kMaxWordBytes));
  key.world_size = static_cast<std::int32_t>(
      header.integer("world_size", 1, std::numeric_limits<std::int32_t>::max()));
  key.link = header.text("link", kMaxWordBytes);
  check_key(key);
  return key;
}

DatabaseFile read_header(const Fields& header, const DatabaseKey* expected) {
  const std::int64_t schema = header.integer("schema", 1, std::numeric_limits<std::int64_t>::max());
  if (schema > kSchema) {
    throw invalid_argument(
        "T005: schema {} is newer than this library knows ({}); update the "
        "library",
        schema, kSchema);
  }
  const std::string convention = header.text("shape_convention", kMaxWordBytes);
  if (convention != kShapeConvention) {
    throw invalid_argument("shape_convention is '{}'; it must be '{}'", convention,
                           kShapeConvention);
  }
  DatabaseFile file;
  file.key = read_key(header);
  if (expected != nullptr && !(file.key == *expected)) {
    throw invalid_argument("the header describes {}; move the file there, or correct the header",
                           file.key.relative_path());
  }
  file.best_claimed_speedup = header.number_or("best_claimed_speedup", 0, kMaxSpeedup, 0);
  for (const HeaderText& text : kHeaderTexts) {
    file.*text.member = header.text_or(text.name, text.max_bytes, "");
  }
  for (const char* name : {"environments", "entries"}) {
    const json& value = header.at(name);
    const bool is_list = std::string_view(name) == "entries";
    if (is_list ? !value.is_array() : !value.is_object()) {
      throw invalid_argument("field '{}' is {}; it must be {}", name, quote_json(value),
                             is_list ? "a list" : "an object");
    }
  }
  return file;
}

// "entry 4096x4096x4096" as far as the sizes can be read, else its number in the list, from 1.
std::string place_of_element(const json& element, std::size_t index) {
  const auto size = [&](const char* name) {
    return element.is_object() && element.contains(name) && element[name].is_number_integer();
  };
  if (!size("m") || !size("n") || !size("k")) return fmt::format("entry number {}", index + 1);
  return fmt::format("entry {}x{}x{}", element["m"].dump(), element["n"].dump(),
                     element["k"].dump());
}

}  // namespace

bool shape_less(const Entry& a, const Entry& b) noexcept {
  return std::tie(a.m, a.n, a.k) < std::tie(b.m, b.n, b.k);
}

bool same_shape(const Entry& a, const Entry& b) noexcept {
  return std::tie(a.m, a.n, a.k) == std::tie(b.m, b.n, b.k);
}

ParsedFile parse_file(std::string_view text, const std::string& name, const DatabaseKey* expected) {
  ParsedFile parsed;
  const auto issue = [&](std::string place, std::string rule) {
    parsed.issues.push_back({name, std::move(place), std::move(rule)});
  };
  const JsonResult document = parse_strict(text);
  if (!document.value) {
    issue(document.error.place(), "T003: " + document.error.rule + "; the file is skipped");
    return parsed;
  }
  try {
    parsed.file = read_header(Fields(*document.value, "the file"), expected);
  } catch (const Error& e) {
    issue("header", fmt::format("{}; the file is skipped", e.what()));
    return parsed;
  }
  DatabaseFile& file = *parsed.file;
  for (const auto& item : (*document.value)["environments"].items()) {
    try {
      file.environments.emplace(item.key(), environment_from_json(item.value()));
    } catch (const Error& e) {
      issue(fmt::format("environment {}", quote_json(item.key())),
            fmt::format("{}; entries that name it are skipped", e.what()));
    }
  }
  const json& elements = (*document.value)["entries"];
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    try {
      Entry entry = entry_from_json(elements[i], file.key);
      if (!entry.env.empty() && file.environments.count(entry.env) == 0) {
        throw invalid_argument("env is {}, which is not among the file's environments",
                               quote_json(entry.env));
      }
      if (!seen.insert({entry.m, entry.n, entry.k}).second) {
        throw invalid_argument("T010: the shape occurs twice; the first one is used");
      }
      file.entries.push_back(std::move(entry));
    } catch (const Error& e) {
      issue(place_of_element(elements[i], i), fmt::format("{}; the entry is skipped", e.what()));
    }
  }
  std::sort(file.entries.begin(), file.entries.end(), shape_less);
  return parsed;
}

std::string write_file(const DatabaseFile& file) {
  std::vector<Entry> entries = file.entries;
  std::sort(entries.begin(), entries.end(), shape_less);
  json header{{"schema", kSchema},
              {"shape_convention", kShapeConvention},
              {"op", file.key.op},
              {"device", file.key.device},
              {"dtype", std::string(to_string(file.key.dtype))},
              {"layout", std::string(to_string(file.key.layout))},
              {"shard_dim", std::string(to_string(file.key.shard_dim))},
              {"world_size", file.key.world_size},
              {"link", file.key.link},
              {"entries", json::array()},
              {"environments", json::object()}};
  if (file.best_claimed_speedup != 0) header["best_claimed_speedup"] = file.best_claimed_speedup;
  for (const HeaderText& text : kHeaderTexts) {
    if (!(file.*text.member).empty()) header[text.name] = file.*text.member;
  }
  for (const Entry& entry : entries) {
    header["entries"].push_back(to_json(entry));
    const auto environment = file.environments.find(entry.env);
    if (environment != file.environments.end()) {
      header["environments"][entry.env] = to_json(environment->second);
    }
  }
  // One line a header field; lists and maps one line an element.
  std::string out = "{";
  const char* separator = "\n";
  for (const auto& field : header.items()) {
    out += separator;
    separator = ",\n";
    append_json(out, json(field.key()));
    out += ": ";
    const json& value = field.value();
    if (!value.is_structured() || value.empty()) {
      append_json(out, value);
      continue;
    }
    out += value.is_object() ? '{' : '[';
    const char* inner = "\n  ";
    for (const auto& element : value.items()) {
      out += inner;
      inner = ",\n  ";
      if (value.is_object()) {
        append_json(out, json(element.key()));
        out += ": ";
      }
      append_json(out, element.value());
    }
    out += value.is_object() ? "\n}" : "\n]";
  }
  out += "\n}\n";
  return out;
}

std::string environment_id(const Environment& environment) {
  std::string text;
  append_json(text, to_json(environment));
  return hash64_hex(text);
}

}  // namespace weft::config
