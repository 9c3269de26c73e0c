// SPDX-License-Identifier: Apache-2.0
// A file compiled into the library; cmake/WeftEmbed.cmake makes the source.
#pragma once

#include <string_view>

namespace weft {

struct EmbeddedFile {
  std::string_view relative_path;
  std::string_view text;
};

}  // namespace weft
