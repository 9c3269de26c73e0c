// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which chip this is. An unknown chip is never treated as another one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// A chip as the database keys it.
struct Arch {
  std::string key = "unknown";  ///< "sm_90", "gfx942", "cpu_avx512", "cpu_avx2", ..., or "unknown"
  std::int32_t units = 0;       ///< multiprocessors (SMs, CUs); on a CPU threads per rank
  std::string cpu_model;        ///< CPUs only: "<family>.<model>", decimal, as cpuid gives them
  std::string name;             ///< what the vendor calls it; for messages, never for look-up

  [[nodiscard]] bool is_cpu() const noexcept { return key.rfind("cpu_", 0) == 0; }
  [[nodiscard]] bool known() const noexcept { return key != "unknown"; }
  /// Database key: "sm_90-132sm", "gfx942-304cu", "cpu_avx2-25.1-t1", or "unknown".
  [[nodiscard]] std::string device() const;
  friend bool operator==(const Arch&, const Arch&) = default;
};

/// The CPU this process runs on, through cpuid; key "cpu_avx512", "cpu_avx2" or "cpu_generic".
/// @param threads_per_rank  becomes part of the device key
Arch detect_cpu(std::int32_t threads_per_rank);

/// The first GPU, if there is one: NVIDIA through the driver's own library, AMD through the
/// kernel's KFD topology files. No vendor tool is started. key "unknown" when there is none.
Arch detect_gpu();

/// Reads "gfx942", "gfx942-304cu", "mi300x", "h200", "cpu_avx2-25.1-t1", ... A market name is an
/// alias. A key without units gets the units of the only device known under it.
/// @throws Error kInvalidArgument if the text names several devices; an unknown word is no error
Arch parse_arch(std::string_view text);

/// The link class assumed for an arch when none is given: cpu `shm`, sm_90 `nvlink`, gfx9 `xgmi`.
std::string default_link(const Arch& arch);

}  // namespace weft
