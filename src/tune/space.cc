// SPDX-License-Identifier: Apache-2.0
#include "tune/space.hpp"

#include <algorithm>
#include <cstdint>

#include "schedule/grid.hpp"

namespace weft::tune {
namespace {

constexpr std::int64_t kMaxTile = 1 << 20;  // more than this in one call gains nothing
constexpr std::int64_t kWhole = kMaxTile;   // clipped to the problem

std::int32_t clip(std::int64_t tile, std::int64_t extent) {
  return static_cast<std::int32_t>(std::min({tile, extent, kMaxTile}));
}

class Builder {
 public:
  Builder(const Problem& problem, const Arch& arch)
      : problem_(problem),
        arch_(arch),
        threads_(std::max(arch.units, 1)),
        // NOTE: a tile that spans shards is cut at their edges anyway, so none is taller than one.
        rows_(problem.m_local()) {
    const std::int64_t shards = problem.shard_dim == ShardDim::kM ? problem.world_size : 1;
    if (rows_ * shards >= threads_) {
      rows_ = std::min(rows_, schedule::ceil_div(rows_ * shards, threads_));
    }
  }

  /// Depth is that of one product; kWhole: the whole shard.
  void direct(std::int64_t tile_m, std::int64_t tile_n, std::int64_t depth = kWhole) {
    add(tiles(Variant::kDirect, tile_m, tile_n, depth));
  }

  /// `stages` stages of about equal height, each fetched by all threads and then computed.
  void staged(std::int64_t stages, std::int64_t tile_n) {
    const std::int64_t tile_m = std::max<std::int64_t>(1, schedule::ceil_div(problem_.m, stages));
    FusedConfig config = tiles(Variant::kStaged, tile_m, tile_n, kWhole);
    const std::int64_t m_tiles = schedule::ceil_div(problem_.m, config.tile_m);
    config.num_fetch_stages = static_cast<std::int32_t>(std::min(stages, m_tiles));
    config.num_fetch_sms = threads_;
    config.first_stage_fetch_sms = threads_;
    add(config);
  }

  std::vector<FusedConfig> take() { return std::move(found_); }

 private:
  [[nodiscard]] FusedConfig tiles(Variant variant, std::int64_t tile_m, std::int64_t tile_n,
                                  std::int64_t depth) const {
    FusedConfig config;
    config.variant = variant;
    config.tile_m = clip(tile_m, rows_);
    config.tile_n = clip(tile_n, problem_.n);
    config.tile_k = clip(depth, problem_.k_local());
    // All m-tiles before the next n-tile: the columns of B stay in cache.
    const std::int64_t m_tiles = schedule::ceil_div(problem_.m, config.tile_m);
    config.group_m = config.tile_n < problem_.n ? clip(m_tiles, kMaxTile) : 1;
    return config;
  }

  void add(const FusedConfig& config) {
    if (found_.size() == kMaxCpuCandidates || !validate(config, problem_, arch_).legal) return;
    if (std::find(found_.begin(), found_.end(), config) == found_.end()) found_.push_back(config);
  }

  const Problem& problem_;
  const Arch& arch_;
  std::int32_t threads_;
  std::int64_t rows_;  // tallest tile
  std::vector<FusedConfig> found_;
};

}  // namespace

std::vector<FusedConfig> cpu_candidates(const Problem& problem, const Arch& arch) {
  if (!arch.is_cpu()) return {};
  Builder add(problem, arch);
  add.direct(kWhole, kWhole);
  add.direct(1024, kWhole);
  add.direct(512, kWhole);
  add.direct(256, 1024);
  add.direct(512, 1024);
  add.direct(256, kWhole);
  add.direct(128, kWhole);
  add.direct(384, kWhole);
  add.direct(256, 1024, 1024);
  if (problem.world_size > 1) {  // alone there is nothing to fetch
    add.staged(1, kWhole);
    add.staged(2, kWhole);
    add.staged(4, kWhole);
    add.staged(8, 1024);
  }
  add.direct(kWhole, 1024);
  return add.take();
}

}  // namespace weft::tune
