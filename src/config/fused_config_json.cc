// SPDX-License-Identifier: Apache-2.0
#include "config/fused_config_json.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "config/json_fields.hpp"
#include "config/json_strict.hpp"
#include "core/message.hpp"

namespace weft::config {
namespace {

using nlohmann::json;

constexpr const char* kVariant = "variant";
constexpr const char* kAllowTf32 = "allow_tf32";
constexpr std::size_t kLongestWord = 32;

Variant read_variant(const Fields& fields) {
  const Variant variant = parse_variant(fields.text(kVariant, kLongestWord));
  if (variant == Variant::kUnfused) {
    throw invalid_argument(
        "variant is 'unfused', which has no configuration; use direct, staged or "
        "copy_engine");
  }
  return variant;
}

std::int32_t read_field(const Fields& fields, const ConfigField& field) {
  return static_cast<std::int32_t>(
      fields.integer(field.name, field.smallest, std::numeric_limits<std::int32_t>::max()));
}

void refuse_other_names(const json& object) {
  for (const auto& member : object.items()) {
    const std::string& name = member.key();
    const bool is_field = std::any_of(kConfigFields.begin(), kConfigFields.end(),
                                      [&](const ConfigField& f) { return name == f.name; });
    if (is_field || name == kVariant || name == kAllowTf32) continue;
    std::string legal = fmt::format("{}, {}", kVariant, kAllowTf32);
    for (const ConfigField& field : kConfigFields) legal += fmt::format(", {}", field.name);
    throw invalid_argument("{} is not a field; use {}", quote_json(name), legal);
  }
}

}  // namespace

json to_json(const FusedConfig& config) {
  json object{{kVariant, std::string(to_string(config.variant))}, {kAllowTf32, config.allow_tf32}};
  for (const ConfigField& field : kConfigFields) object[field.name] = config.*field.member;
  return object;
}

FusedConfig from_json(const json& object) {
  const Fields fields(object, "config");
  FusedConfig config;
  config.variant = read_variant(fields);
  for (const ConfigField& field : kConfigFields) config.*field.member = read_field(fields, field);
  config.allow_tf32 = fields.boolean(kAllowTf32);
  return config;
}

FusedConfig parse_fused_config(std::string_view json_text, std::string_view what) {
  const JsonResult parsed = parse_strict(json_text);
  if (!parsed.value) {
    throw invalid_argument("{}: {}: {}; give an object such as {}", what, parsed.error.place(),
                           parsed.error.rule, R"({"variant": "direct", "tile_m": 256})");
  }
  try {
    const Fields fields(*parsed.value, "the configuration");
    refuse_other_names(*parsed.value);
    FusedConfig config;
    config.variant = read_variant(fields);
    for (const ConfigField& field : kConfigFields) {
      if (fields.has(field.name)) config.*field.member = read_field(fields, field);
    }
    if (fields.has(kAllowTf32)) config.allow_tf32 = fields.boolean(kAllowTf32);
    return config;
  } catch (const Error& e) {
    throw invalid_argument("{}: {}", what, e.what());
  }
}

}  // namespace weft::config
