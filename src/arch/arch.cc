// SPDX-License-Identifier: Apache-2.0
#include "weft/arch.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

#include "arch/detect.hpp"
#include "arch/limits.hpp"
#include "core/env.hpp"
#include "core/message.hpp"

namespace weft {
namespace {

/// The devices that a key without units stands for.
struct Device {
  std::string_view key;
  std::int32_t units;
};
constexpr std::array<Device, 3> kDevices{{{"gfx942", 304}, {"gfx950", 256}, {"sm_90", 132}}};

/// Market names. A name that covers chips of several sizes has one row for each.
struct Alias {
  std::string_view word;
  Device device;
};
constexpr std::array<Alias, 9> kAliases{{{"mi300x", {"gfx942", 304}},
                                         {"mi325x", {"gfx942", 304}},
                                         {"mi300a", {"gfx942", 228}},
                                         {"mi355x", {"gfx950", 256}},
                                         {"h200", {"sm_90", 132}},
                                         {"h100", {"sm_90", 132}},
                                         {"h100", {"sm_90", 114}},
                                         {"h100-sxm", {"sm_90", 132}},
                                         {"h100-pcie", {"sm_90", 114}}}};

std::string_view unit_suffix(std::string_view key) {
  return key.rfind("sm_", 0) == 0 ? "sm" : "cu";
}

std::string device_text(const Device& device) {
  return fmt::format("{}-{}{}", device.key, device.units, unit_suffix(device.key));
}

Arch arch_of(const Device& device, std::string_view name) {
  Arch arch;
  arch.key = device.key;
  arch.units = device.units;
  arch.name = name;
  return arch;
}

/// A decimal number that fills `text` and is at least 1; else 0.
std::int32_t positive(std::string_view text) {
  std::int32_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && stop == text.data() + text.size() && number > 0 ? number : 0;
}

bool is_gpu_key(std::string_view key) {
  const auto rest_is = [key](std::size_t prefix, auto&& test) {
    return key.size() > prefix && std::all_of(key.begin() + prefix, key.end(), test);
  };
  if (key.rfind("sm_", 0) == 0) return rest_is(3, [](unsigned char c) { return std::isdigit(c); });
  if (key.rfind("gfx", 0) == 0) return rest_is(3, [](unsigned char c) { return std::isxdigit(c); });
  return false;
}

/// "<family>.<model>" with two decimal numbers.
bool is_cpu_model(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto digits = [](std::string_view t) {
    return !t.empty() &&
           std::all_of(t.begin(), t.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  return dot != std::string_view::npos && digits(text.substr(0, dot)) &&
         digits(text.substr(dot + 1));
}

/// "cpu_avx2-25.1-t1", or unknown.
Arch parse_cpu(std::string_view text) {
  const std::size_t first = text.find('-');
  const std::string_view key = text.substr(0, first);
  if (arch::find_limits(key) == nullptr) return {};
  if (first == std::string_view::npos) {
    throw invalid_argument(
        "arch '{}' names a device for every CPU model and thread count; write "
        "{}-<family>.<model>-t<threads per rank>, as `weft info` prints it",
        text, key);
  }
  const std::size_t second = text.find("-t", first + 1);
  if (second == std::string_view::npos) return {};
  Arch arch;
  arch.cpu_model = text.substr(first + 1, second - first - 1);
  arch.units = positive(text.substr(second + 2));
  if (!is_cpu_model(arch.cpu_model) || arch.units == 0) return {};
  arch.key = key;
  return arch;
}

/// "gfx942-304cu" or "gfx942", or unknown.
Arch parse_gpu(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view key = text.substr(0, dash);
  if (!is_gpu_key(key)) return {};
  if (dash == std::string_view::npos) {
    for (const Device& device : kDevices) {
      if (device.key == key) return arch_of(device, {});
    }
    return {};
  }
  const std::string_view suffix = unit_suffix(key);
  std::string_view units = text.substr(dash + 1);
  if (units.size() <= suffix.size() || units.substr(units.size() - suffix.size()) != suffix) {
    return {};
  }
  units.remove_suffix(suffix.size());
  const std::int32_t number = positive(units);
  return number == 0 ? Arch{} : arch_of({key, number}, {});
}

}  // namespace

std::string Arch::device() const {
  if (!known()) return key;
  if (is_cpu()) return fmt::format("{}-{}-t{}", key, cpu_model, units);
  return device_text({key, units});
}

Arch parse_arch(std::string_view text) {
  std::string word(text);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<Device> named;
  for (const Alias& alias : kAliases) {
    if (alias.word == word) named.push_back(alias.device);
  }
  if (named.size() > 1) {
    std::string devices;
    for (const Device& device : named) {
      devices += (devices.empty() ? "" : ", ") + device_text(device);
    }
    throw invalid_argument("arch '{}' names several devices; use one of {}", text, devices);
  }
  Arch found = !named.empty()               ? arch_of(named.front(), {})
               : word.rfind("cpu_", 0) == 0 ? parse_cpu(word)
                                            : parse_gpu(word);
  found.name = text;
  return found;
}

std::string default_link(const Arch& arch) {
  if (arch.is_cpu()) return "shm";
  if (arch.key == "sm_90") return "nvlink";
  if (arch.key.rfind("gfx94", 0) == 0 || arch.key.rfind("gfx95", 0) == 0) return "xgmi";
  return "pcie";
}

Arch detect_gpu() {
  Arch found = arch::detect_cuda("libcuda.so.1");
  return found.known() ? found : arch::detect_kfd("/sys/class/kfd/kfd/topology");
}

std::optional<Arch> arch_from_environment() {
  const auto text = env::text("WEFT_ARCH");
  if (!text) return std::nullopt;
  try {
    return parse_arch(*text);
  } catch (const Error& error) {
    throw invalid_argument("WEFT_ARCH: {}", error.what());
  }
}

}  // namespace weft
