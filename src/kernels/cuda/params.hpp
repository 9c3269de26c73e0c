// SPDX-License-Identifier: Apache-2.0
// What the host hands to the Hopper kernel. Host and device; no vendor header.
#pragma once

#include <cstdint>

#include "schedule/order.hpp"

namespace weft::cuda {

/// Most ranks whose shards one launch can read.
inline constexpr std::int32_t kMaxRanks = 16;

/// The driver's opaque description of a tensor (CUtensorMap), as bytes.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

/// Passed by value: the tensor maps must stand in parameter memory. The extents of a map end at the
/// shard's edge, so that a partial tile reads zeros and writes nothing.
struct Params {
  TensorMap a[kMaxRanks];  ///< 2-D, one a shard: (k, m), or (m, k) where A is stored transposed
  TensorMap b;  ///< 3-D: (n, k, shard), or (k, n, shard) transposed; one shard with shard_dim m
  TensorMap c;  ///< 3-D: (n, m, shard); one shard with shard_dim k
  schedule::Grid grid;              ///< its tiles are those of a cluster: cluster_m * tile_m rows
  std::uint16_t* c_data = nullptr;  ///< C again, for what bulk stores cannot write
  std::int64_t ldc = 0;             ///< elements
  bool plain_c = false;             ///< C is off 16 bytes: no bulk store at all
  const void* bias = nullptr;       ///< [N] of the data type; for instances with a bias
};

}  // namespace weft::cuda
