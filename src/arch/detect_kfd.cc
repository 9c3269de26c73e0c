// SPDX-License-Identifier: Apache-2.0
// Reads the topology that the amdgpu kernel driver publishes as text files: one folder a node (CPU
// or GPU), whose `properties` has one "name value" pair a line.
#include <charconv>
#include <fstream>
#include <map>

#include "arch/detect.hpp"
#include "core/message.hpp"

namespace weft::arch {
namespace {

using Properties = std::map<std::string, std::int64_t>;

Properties read_properties(const std::filesystem::path& file) {
  Properties properties;
  std::ifstream in(file);
  std::string name;
  std::string value;
  while (in >> name >> value) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc{} && stop == value.data() + value.size()) properties[name] = number;
  }
  return properties;
}

std::int64_t value_of(const Properties& properties, const char* name) {
  const auto found = properties.find(name);
  return found == properties.end() ? 0 : found->second;
}

/// Node folders are numbers: sorted as such, so that the first GPU is the driver's first.
std::map<int, std::filesystem::path> node_folders(const std::filesystem::path& topology) {
  std::map<int, std::filesystem::path> folders;
  std::error_code error;
  std::filesystem::directory_iterator entries(topology / "nodes", error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::string text = entries->path().filename().string();
    int number = 0;
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed == std::errc{} && stop == text.data() + text.size()) {
      folders.emplace(number, entries->path());
    }
  }
  return folders;
}

}  // namespace

std::string gfx_name(std::int64_t target_version) {
  const std::int64_t major = target_version / 10'000;
  const std::int64_t minor = target_version / 100 % 100;
  const std::int64_t step = target_version % 100;
  return fmt::format("gfx{}{:x}{:x}", major, minor, step);
}

Arch detect_kfd(const std::filesystem::path& topology) {
  for (const auto& [number, folder] : node_folders(topology)) {
    const Properties properties = read_properties(folder / "properties");
    const std::int64_t version = value_of(properties, "gfx_target_version");
    const std::int64_t simds = value_of(properties, "simd_count");
    const std::int64_t simds_per_cu = value_of(properties, "simd_per_cu");
    if (version <= 0 || simds <= 0 || simds_per_cu <= 0) continue;  // a CPU node
    Arch found;
    found.key = gfx_name(version);
    found.units = static_cast<std::int32_t>(simds / simds_per_cu);
    found.name = fmt::format("AMD {} with {} CUs", found.key, found.units);
    return found;
  }
  return {};
}

}  // namespace weft::arch
