// SPDX-License-Identifier: Apache-2.0
// One loaded instance of the Hopper kernel: checks operands, describes them, launches.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/driver.hpp"
#include "kernels/cuda/params.hpp"
#include "kernels/cuda/traits.hpp"
#include "weft/problem.hpp"

namespace weft::cuda {

/// Device memory of one call. Leading dimensions in elements; every shard has the same.
struct Operands {
  std::vector<const void*> shards;  ///< [world_size], in rank order
  std::int64_t lda = 0;
  const void* b = nullptr;
  std::int64_t ldb = 0;
  void* c = nullptr;
  std::int64_t ldc = 0;
  const void* bias = nullptr;  ///< [N] or null
};

/// Traits of the instance that serves `problem`, with these tiles.
Traits traits_for(const Problem& problem, std::int32_t tile_n, std::int32_t num_stages,
                  std::int32_t cluster_m);

/// How the kernel walks `problem` on `rank`: its tiles are those of a cluster.
schedule::Grid kernel_grid(const Problem& problem, const Traits& traits, std::int32_t group_m,
                           std::int32_t rank);

/// Why the kernel cannot take these operands (bases and strides off 16 bytes, ...); empty if it
/// can.
std::string refusal(const Problem& problem, const Operands& operands);

class Sm90Kernel {
 public:
  /// Loads machine code into the current context.
  Sm90Kernel(const Traits& traits, const std::string& cubin);
  ~Sm90Kernel();
  Sm90Kernel(const Sm90Kernel&) = delete;
  Sm90Kernel& operator=(const Sm90Kernel&) = delete;

  /// @throws Error kUnsupported with refusal()
  [[nodiscard]] Params params(const Problem& problem, const schedule::Grid& grid,
                              const Operands& operands) const;
  /// Enqueues on `stream`. `num_sms` work-groups at most, whole clusters.
  void launch(const Params& params, std::int32_t num_sms, Stream stream) const;

 private:
  Traits traits_;
  Module module_ = nullptr;
  Function function_ = nullptr;
};

}  // namespace weft::cuda
