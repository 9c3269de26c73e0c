// SPDX-License-Identifier: Apache-2.0
// What `weft db check` asks about files that need not be in a layer.
#pragma once

#include <filesystem>
#include <vector>

#include "weft/database.hpp"

namespace weft::config {

/// All issues of one file; none: every entry loads. The header must agree with the path where the
/// last three parts of `path` have the form of a key.
std::vector<DatabaseIssue> check_file(const std::filesystem::path& path);

/// All issues of the tree <root>/<op>/<device>/*.json. A .json file whose name is no key is an
/// issue, because no look-up would find it; a root without files is one too.
std::vector<DatabaseIssue> check_tree(const std::filesystem::path& root);

}  // namespace weft::config
