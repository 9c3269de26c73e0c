// SPDX-License-Identifier: Apache-2.0
// From the traits of a kernel instance to machine code, through the disk cache.
#pragma once

#include <cstdint>
#include <string>

#include "jit/kernel_cache.hpp"
#include "kernels/cuda/traits.hpp"

namespace weft::jit {

struct Compiled {
  Object object;
  bool from_cache = false;
  double seconds = 0;  ///< to load or to compile
};

/// What ptxas reported about an instance.
struct KernelReport {
  std::int32_t registers = 0;
  std::int32_t spill_bytes = 0;   ///< stores and loads
  bool wgmma_serialized = false;  ///< ptxas had to put waits between the products
};
/// @throws Error kInternal if the log holds no report
KernelReport parse_report(const std::string& log);

class Compiler {
 public:
  explicit Compiler(std::filesystem::path cache_folder = KernelCache::default_folder())
      : cache_(std::move(cache_folder)) {}

  /// Machine code for sm_90a. A cache that cannot be written costs a message, not the result.
  /// @throws Error kInvalidArgument for traits no kernel has; kDeviceError if NVRTC is absent
  Compiled compile(const cuda::Traits& traits) const;

  /// Names sources, options and compiler. NVRTC must be there.
  static std::string key(const cuda::Traits& traits);
  [[nodiscard]] const KernelCache& cache() const noexcept { return cache_; }

 private:
  KernelCache cache_;
};

}  // namespace weft::jit
