// SPDX-License-Identifier: Apache-2.0
// What each worker of a rank does in one call.
#pragma once

#include "kernels/cpu/call.hpp"

namespace weft::cpu {

/// `direct` and `staged`: fetches (staged only), computes, and copies the gathered A if asked for.
/// All workers of the rank run this; the rank has published its shard before.
void fused_worker(const Call& call, std::int32_t worker);

/// Where the gathered shards go: shard r begins `r * shard_stride` elements after `matrix.data`.
struct GatherTarget {
  Matrix matrix;
  std::int64_t shard_stride = 0;
};
/// The gathered A in its final place: [M,K], or [K,M] when stored transposed.
GatherTarget in_place_target(const Call& call, Matrix gathered);
/// Shard after shard, each packed.
GatherTarget rank_major_target(const Call& call, std::byte* data);

/// Copies all shards, the own one first, by tickets (next_gather) in blocks of stored rows.
void gather_worker(const Call& call, const GatherTarget& target, std::int32_t worker);

/// Copies gathered shards from `source` to `target` on this rank, by tickets (next_gather).
void relayout_worker(const Call& call, const GatherTarget& source, const GatherTarget& target);

/// Number of tickets (next_gather) that gather_worker and relayout_worker hand out.
std::int64_t num_gather_items(const Call& call);

}  // namespace weft::cpu
