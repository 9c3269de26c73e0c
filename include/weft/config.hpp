// SPDX-License-Identifier: Apache-2.0
/// @file
/// How an all-gather + matmul is cut into work: the tuned parameters and the forms they apply to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/arch.hpp"
#include "weft/problem.hpp"

namespace weft {

/// How the gather and the product meet.
enum class Variant : std::uint8_t {
  kUnfused,     ///< all-gather, then one product, both by vendor libraries
  kStaged,      ///< fetchers copy remote tiles into local staging and raise flags
  kCopyEngine,  ///< DMA engines copy chunks and raise the same flags
  kDirect,      ///< tiles read the peers' shards in place
};

/// "unfused", "staged", "copy_engine", "direct".
std::string_view to_string(Variant variant) noexcept;
/// @throws Error kInvalidArgument naming the text and the legal words
Variant parse_variant(std::string_view text);

/// Parameters of a fused variant. JSON keys are the same words.
struct FusedConfig {
  Variant variant = Variant::kDirect;      ///< never kUnfused
  std::int32_t tile_m = 256;               ///< rows of C that one work item computes
  std::int32_t tile_n = 256;               ///< columns of C that one work item computes
  std::int32_t tile_k = 64;                ///< depth of one step of the K loop
  std::int32_t group_m = 1;                ///< m-tiles walked before the next n-tile
  std::int32_t k_per_flag = 1;             ///< k-tiles published by one flag; clipped to a shard
  std::int32_t num_fetch_sms = 1;          ///< fetching work-groups (CPU: threads), later stages
  std::int32_t first_stage_fetch_sms = 1;  ///< fetching work-groups in stage 0
  std::int32_t num_fetch_stages = 1;       ///< stages M is split into
  std::int32_t num_stages = 2;             ///< shared-memory pipeline depth; ignored on CPUs
  std::int32_t num_warps = 8;              ///< warps a work-group; ignored on CPUs
  std::int32_t chunk_m_tiles = 1;          ///< m-tiles a copy-engine chunk
  std::int32_t num_xcds = 1;               ///< chiplets the tile order is spread over
  bool allow_tf32 = false;                 ///< f32 products may round inputs to tf32
  friend bool operator==(const FusedConfig&, const FusedConfig&) = default;
};

/// "direct 256x1024x2048 group_m=1 k_per_flag=1 ...": all that matters for the variant.
std::string to_string(const FusedConfig& config);

/// The verdict of `validate`.
struct Validation {
  bool legal = true;
  std::string reason;  ///< why not; or, when legal, a note ("" for none)
};

/// The only place that knows every limit: shared memory, threads, registers, divisibility.
/// Pure; never throws for any field values. `problem` must have passed check_problem.
Validation validate(const FusedConfig& config, const Problem& problem, const Arch& arch);

}  // namespace weft
