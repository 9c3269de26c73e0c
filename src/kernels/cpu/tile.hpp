// SPDX-License-Identifier: Apache-2.0
// One worker's part of the product: tiles of C, k-group by k-group, from wherever A stands.
#pragma once

#include <vector>

#include "kernels/cpu/call.hpp"

namespace weft::cpu {

class TileWorker {
 public:
  TileWorker(const Call& call, std::int32_t worker);

  /// Widens panels of B until none is left (16-bit types; else nothing). Waits on nobody.
  void widen_b();
  /// Copies one part of A to staging and raises its flag. Waits only on the owner's ready flag.
  void fetch(schedule::FetchCoord part);
  /// Computes one tile of C, waiting for each part of A that it needs.
  void compute(schedule::TileCoord tile);

 private:
  // A part of A in memory: element (m, k) of the part stands at `element(a_t, m, k, ld)`.
  struct Part {
    const std::byte* data;
    std::int64_t ld;
    bool is_f32;
  };
  Part part(std::int64_t piece, std::int64_t k_group, schedule::Range rows, schedule::Range depth);
  ConstMatrix shard(std::int32_t owner);
  void multiply(const Part& a, schedule::Range rows, schedule::Range cols, schedule::Range depth,
                float* c, std::int64_t ldc, bool accumulate);
  void wait_for_b(schedule::Range cols, schedule::Range depth);

  const Call& call_;
  std::int32_t worker_;
  float* a_wide_;
  float* c_wide_;
  std::vector<ConstMatrix> shards_;  // [world_size]; data null until the ready flag was seen
};

/// Depth to which one part of A is widened at a time: A (256 rows) then fits a level-2 cache.
inline constexpr std::int64_t kWidenDepth = 512;

/// Stored rows of B per panel, and the number of panels, for a B of `rows` stored rows.
inline constexpr std::int64_t kBPanelRows = 64;
constexpr std::int64_t num_b_panels(std::int64_t rows) noexcept {
  return schedule::ceil_div(rows, kBPanelRows);
}

}  // namespace weft::cpu
