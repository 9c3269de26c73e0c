// SPDX-License-Identifier: Apache-2.0
// Any bytes: the loader must not throw, and what it accepts must survive being written and read.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "config/file.hpp"
#include "config/fused_config_json.hpp"
#include "config/key.hpp"
#include "weft/error.hpp"

namespace {

using weft::config::ParsedFile;

void require(bool holds) {
  if (!holds) std::abort();
}

void fuzz_file(std::string_view text) {
  const ParsedFile parsed = weft::config::parse_file(text, "fuzz.json", nullptr);
  require(parsed.file.has_value() || parsed.issues.size() == 1);
  if (!parsed.file) return;
  const std::string written = weft::config::write_file(*parsed.file);
  const ParsedFile again = weft::config::parse_file(written, "fuzz.json", &parsed.file->key);
  require(again.file.has_value() && again.issues.empty());
  require(again.file->entries == parsed.file->entries);
  require(weft::config::write_file(*again.file) == written);
}

void fuzz_typed_config(std::string_view text) {
  try {
    const weft::FusedConfig config = weft::config::parse_fused_config(text, "fuzz");
    require(weft::config::from_json(weft::config::to_json(config)) == config);
  } catch (const weft::Error& e) {
    require(e.code() == weft::ErrorCode::kInvalidArgument);
  }
}

void fuzz_path(std::string_view text) {
  const auto key = weft::config::parse_relative_path(text);
  if (key) require(key->relative_path() == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz_file(text);
  fuzz_typed_config(text);
  fuzz_path(text);
  return 0;
}
