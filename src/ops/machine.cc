// SPDX-License-Identifier: Apache-2.0
#include "ops/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>

namespace weft::ops {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

}  // namespace

std::int64_t last_level_cache_bytes() {
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index));
    std::int64_t value = 0;
    std::string unit;
    if (!(file >> value)) continue;
    file >> unit;
    largest = std::max(largest, value * (unit == "M" ? kMiB : unit == "K" ? 1024 : 1));
  }
  if (largest == 0) largest = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return largest > 0 ? largest : 32 * kMiB;
}

std::int64_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name, rest;
  for (std::int64_t kib = 0; file >> name >> kib; std::getline(file, rest)) {
    if (name == "MemAvailable:") return kib * 1024;
  }
  return 4096 * kMiB;
}

std::int32_t num_usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<std::int32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
}

std::string clocks_text() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("cpu MHz") && colon != std::string::npos) {
      return fmt::format("cpu0 at {} MHz", line.substr(colon + 2));
    }
  }
  return "";
}

std::string utc_now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace weft::ops
