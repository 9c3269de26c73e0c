// SPDX-License-Identifier: Apache-2.0
// FusedConfig as JSON: the keys are the field names, plus "variant".
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "weft/config.hpp"

namespace weft::config {

/// One integer field of FusedConfig: the only list of their names.
struct ConfigField {
  const char* name;
  std::int32_t FusedConfig::*member;
  std::int32_t smallest;  ///< legal for some variant; `validate` knows the rest
};
inline constexpr std::array<ConfigField, 12> kConfigFields{{
    {"tile_m", &FusedConfig::tile_m, 1},
    {"tile_n", &FusedConfig::tile_n, 1},
    {"tile_k", &FusedConfig::tile_k, 1},
    {"group_m", &FusedConfig::group_m, 1},
    {"k_per_flag", &FusedConfig::k_per_flag, 1},
    {"num_fetch_sms", &FusedConfig::num_fetch_sms, 0},
    {"first_stage_fetch_sms", &FusedConfig::first_stage_fetch_sms, 0},
    {"num_fetch_stages", &FusedConfig::num_fetch_stages, 1},
    {"num_stages", &FusedConfig::num_stages, 1},
    {"num_warps", &FusedConfig::num_warps, 1},
    {"chunk_m_tiles", &FusedConfig::chunk_m_tiles, 1},
    {"num_xcds", &FusedConfig::num_xcds, 1},
}};

/// All fields, in one object.
nlohmann::json to_json(const FusedConfig& config);

/// Reads an object in which every field is present; members of other names are ignored (files).
/// @throws Error kInvalidArgument: the broken rule, without a place
FusedConfig from_json(const nlohmann::json& object);

/// Reads what a user typed (WEFT_CONFIG, --config): "variant" is required, other fields default to
/// those of FusedConfig, a member of another name is refused.
/// @param what  names the text in messages, such as "WEFT_CONFIG"
/// @throws Error kInvalidArgument
FusedConfig parse_fused_config(std::string_view json_text, std::string_view what);

}  // namespace weft::config
