// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/sm90_kernel.hpp"

#include <algorithm>
#include <array>

namespace weft::cuda {
namespace {

// Values of cuda.h, fixed by the driver's binary interface.
constexpr int kFloat16 = 6, kBfloat16 = 9;  // CUtensorMapDataType
constexpr int kSwizzle128 = 3;              // CUtensorMapSwizzle
constexpr int kL2Promotion256 = 3;          // CUtensorMapL2promotion; 12 % faster than 128 bytes
constexpr int kNoInterleave = 0, kZeroFill = 0;
constexpr int kMaxDynamicSharedBytes = 8;  // CUfunction_attribute

constexpr std::int64_t kAlignment = 16;  // of bases and strides of a tensor map
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;  // coordinates are 32-bit

/// A tensor of 16-bit elements, fastest dimension first. Strides in elements, of dims 1, 2.
struct Tensor {
  const void* data;
  std::array<std::int64_t, 3> dims;
  std::array<std::int64_t, 2> strides;
  std::array<std::int32_t, 2> box;
  std::uint32_t rank;
};

TensorMap encode(const Tensor& t, bool f16) {
  TensorMap map;
  std::array<std::uint64_t, 3> dims{};
  std::array<std::uint64_t, 2> strides{};
  for (std::size_t i = 0; i < 3; ++i) dims[i] = static_cast<std::uint64_t>(t.dims[i]);
  for (std::size_t i = 0; i < 2; ++i) {
    strides[i] = static_cast<std::uint64_t>(t.strides[i]) * kElementBytes;
  }
  const std::array<std::uint32_t, 3> box{static_cast<std::uint32_t>(t.box[0]),
                                         static_cast<std::uint32_t>(t.box[1]), 1};
  const std::array<std::uint32_t, 3> ones{1, 1, 1};
  WEFT_CUDA_CHECK(encode_tiled(&map, f16 ? kFloat16 : kBfloat16, t.rank, const_cast<void*>(t.data),
                               dims.data(), strides.data(), box.data(), ones.data(), kNoInterleave,
                               kSwizzle128, kL2Promotion256, kZeroFill));
  return map;
}

bool off_alignment(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % kAlignment != 0;
}
bool off_alignment(std::int64_t ld) { return ld * kElementBytes % kAlignment != 0; }

}  // namespace

Traits traits_for(const Problem& p, std::int32_t tile_n, std::int32_t num_stages,
                  std::int32_t cluster_m) {
  return {.tile_n = tile_n,
          .num_stages = num_stages,
          .cluster_m = cluster_m,
          .a_t = a_transposed(p.layout),
          .b_t = b_transposed(p.layout),
          .f16 = p.dtype == DType::kF16,
          .bias = p.has_bias};
}

schedule::Grid kernel_grid(const Problem& p, const Traits& t, std::int32_t group_m,
                           std::int32_t rank) {
  constexpr std::int32_t kWholeShard = 1 << 24;  // k-tiles: no flags, so one group a shard
  return schedule::make_grid({.m = p.m,
                              .n = p.n,
                              .k = p.k,
                              .world_size = p.world_size,
                              .rank = rank,
                              .shard_m = p.shard_dim == ShardDim::kM,
                              .rotate = !p.same_on_all_ranks,
                              .tile_m = kTileM * t.cluster_m,
                              .tile_n = t.tile_n,
                              .tile_k = kTileK,
                              .group_m = group_m,
                              .k_per_flag = kWholeShard});
}

std::string refusal(const Problem& p, const Operands& o) {
  if (p.dtype != DType::kBf16 && p.dtype != DType::kF16) {
    return fmt::format("dtype {} has no Hopper kernel; bf16 and f16 have", to_string(p.dtype));
  }
  if (static_cast<std::int64_t>(o.shards.size()) != p.world_size || p.world_size > kMaxRanks) {
    return fmt::format("{} shards for world_size={}; they must agree and be at most {}",
                       o.shards.size(), p.world_size, kMaxRanks);
  }
  if (std::max({p.m, p.n, p.k}) >= kLargestExtent) {
    return fmt::format("M={}, N={}, K={}: extents must stay below {}", p.m, p.n, p.k,
                       kLargestExtent);
  }
  for (const void* shard : o.shards) {
    if (off_alignment(shard)) return fmt::format("a_unaligned: base {} is off 16 bytes", shard);
  }
  if (off_alignment(o.lda)) return fmt::format("a_unaligned: lda={} is off 8 elements", o.lda);
  if (off_alignment(o.b) || off_alignment(o.ldb)) {
    return fmt::format("b_unaligned: base {} or ldb={} is off 16 bytes", o.b, o.ldb);
  }
  if (p.world_size > 1 && p.shard_dim == ShardDim::kK && b_transposed(p.layout) &&
      off_alignment(p.k_local())) {
    return fmt::format("b_unaligned: K/world_size={} is off 8 elements", p.k_local());
  }
  if (p.has_bias != (o.bias != nullptr)) {
    return fmt::format("has_bias={} but bias is {}", p.has_bias, o.bias);
  }
  const bool shard_m = p.shard_dim == ShardDim::kM;
  if (shard_m && p.world_size > 1 && p.m_local() < kTileM * 2) {
    return fmt::format("M/world_size={} is below {}, where a tile would span shards", p.m_local(),
                       kTileM * 2);
  }
  return "";
}

Sm90Kernel::Sm90Kernel(const Traits& traits, const std::string& cubin) : traits_(traits) {
  WEFT_CUDA_CHECK(module_load(&module_, cubin.data()));
  try {
    WEFT_CUDA_CHECK(get_function(&function_, module_, "weft_sm90_ag_mm"));
    WEFT_CUDA_CHECK(set_attribute(function_, kMaxDynamicSharedBytes, shared_bytes(traits)));
  } catch (...) {
    driver().module_unload(module_);
    throw;
  }
}

Sm90Kernel::~Sm90Kernel() { driver().module_unload(module_); }

Params Sm90Kernel::params(const Problem& p, const schedule::Grid& grid, const Operands& o) const {
  if (const std::string reason = refusal(p, o); !reason.empty()) throw unsupported("{}", reason);
  const bool shard_m = p.shard_dim == ShardDim::kM;
  const std::int64_t m_shards = shard_m ? p.world_size : 1, k_shards = shard_m ? 1 : p.world_size;
  Params params{};
  params.grid = grid;
  params.bias = o.bias;
  for (std::size_t i = 0; i < o.shards.size(); ++i) {
    Tensor a{o.shards[i], {grid.k_local, grid.m_local, 1}, {o.lda, 0}, {kTileK, kTileM}, 2};
    if (traits_.a_t) {
      a.dims = {grid.m_local, grid.k_local, 1};
      a.box = {kBox, kTileK};
    }
    params.a[i] = encode(a, traits_.f16);
  }
  Tensor b{o.b, {p.n, grid.k_local, k_shards}, {o.ldb, grid.k_local * o.ldb}, {kBox, kTileK}, 3};
  if (traits_.b_t) {
    // NOTE: with one shard its stride is never used, but must be legal.
    const std::int64_t stride = k_shards == 1 ? o.ldb : grid.k_local;
    b = {o.b,
         {grid.k_local, p.n, k_shards},
         {o.ldb, stride},
         {kTileK, traits_.tile_n / traits_.cluster_m},
         3};
  }
  params.b = encode(b, traits_.f16);
  params.c_data = static_cast<std::uint16_t*>(o.c);
  params.ldc = o.ldc;
  params.plain_c = off_alignment(o.c) || off_alignment(o.ldc);
  if (!params.plain_c) {
    params.c = encode(
        {o.c, {p.n, grid.m_local, m_shards}, {o.ldc, grid.m_local * o.ldc}, {kBox, kStoreRows}, 3},
        traits_.f16);
  }
  return params;
}

void Sm90Kernel::launch(const Params& params, std::int32_t num_sms, Stream stream) const {
  const std::int64_t clusters =
      std::min<std::int64_t>(num_sms / traits_.cluster_m, schedule::num_tiles(params.grid));
  const auto groups =
      static_cast<unsigned>(std::max<std::int64_t>(clusters, 1) * traits_.cluster_m);
  void* arguments[] = {const_cast<Params*>(&params)};
  WEFT_CUDA_CHECK(launch(function_, groups, 1, 1, kNumThreads, 1, 1,
                         static_cast<unsigned>(shared_bytes(traits_)), stream, arguments, nullptr));
}

}  // namespace weft::cuda
