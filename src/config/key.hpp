// SPDX-License-Identifier: Apache-2.0
// Keys of the database and their path form
// <op>/<device>/<dtype>_<layout>_<shard_dim>_ws<W>_<link>.json.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "weft/database.hpp"

namespace weft::config {

/// Operations that have a database: the first part of every path.
inline constexpr std::array<std::string_view, 1> kOps{"ag_mm"};

/// Refuses a link class that is none of shm, device, host, emulated:<GB/s>, pcie, nvlink, xgmi,
/// net.
/// @throws Error kInvalidArgument naming the text and the legal words
void check_link(std::string_view link);

/// Refuses operations and links that do not exist, devices that are no file name, and world sizes
/// below 1. @throws Error kInvalidArgument
void check_key(const DatabaseKey& key);

/// Inverse of DatabaseKey::relative_path; nothing if no key has that path.
std::optional<DatabaseKey> parse_relative_path(std::string_view path);

/// For hash tables; every field takes part.
struct KeyHash {
  std::size_t operator()(const DatabaseKey& key) const noexcept;
};

}  // namespace weft::config
