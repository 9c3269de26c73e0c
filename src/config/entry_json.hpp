// SPDX-License-Identifier: Apache-2.0
// Entry and Environment as JSON, and the rules that one entry must keep.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "weft/database.hpp"

namespace weft::config {

/// Longest legal texts, in bytes.
inline constexpr std::size_t kMaxNoteBytes = 1000;  ///< note, description, disabled_reason, source
inline constexpr std::size_t kMaxWordBytes = 200;   ///< labels, forms, versions
inline constexpr std::size_t kMaxCommandBytes = 4000;

/// Required fields, and those optional ones that differ from their default.
nlohmann::json to_json(const Entry& entry);

/// Reads one element of "entries" and checks it as check_entry does.
/// @param key  of the file: world_size and shard_dim decide which sizes are legal
/// @throws Error kInvalidArgument: the broken rule, without a place
Entry entry_from_json(const nlohmann::json& object, const DatabaseKey& key);

/// The rules beyond types and ranges: sizes that the key allows, evidence that the stage and status
/// need, bounds in order, imported entries without bounds.
/// @throws Error kInvalidArgument: the broken rule, without a place
void check_entry(const Entry& entry, const DatabaseKey& key);

/// "entry 4096x4096x4096", for messages.
std::string place_of(const Entry& entry);

/// All fields, each a text. @throws Error kInvalidArgument
nlohmann::json to_json(const Environment& environment);
Environment environment_from_json(const nlohmann::json& object);

}  // namespace weft::config
