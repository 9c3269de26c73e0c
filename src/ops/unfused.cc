// SPDX-License-Identifier: Apache-2.0
#include "ops/unfused.hpp"

#include <algorithm>

#include "kernels/cpu/micro_kernel.hpp"
#include "kernels/cpu/span.hpp"
#include "kernels/cpu/workers.hpp"

namespace weft::ops {
namespace {

// Tiles of the 16-bit product: widened slices of A and tiles of C stay in a level-2 cache's reach,
// and B is walked in wide rows.
constexpr std::int32_t kLocalTileM = 256;
constexpr std::int32_t kLocalTileN = 1024;

Problem local_problem(const Problem& p) {
  Problem local = p;
  local.world_size = 1;
  local.return_gathered_a = false;
  return local;
}

FusedConfig local_config(const Problem& p) {
  FusedConfig c;
  c.variant = Variant::kDirect;
  c.tile_m = kLocalTileM;
  c.tile_n = kLocalTileN;
  c.tile_k = static_cast<std::int32_t>(std::min<std::int64_t>(p.k, 1 << 20));
  c.group_m = 1 << 20;
  return c;
}

bool needs_rank_major(UnfusedForm form) { return form != UnfusedForm::kStridedCopy; }
// Products per shard read the shards where they were gathered, unless they are in 16 bits: their
// partial sums must not be rounded, so they take the form of one product.
bool needs_in_place(const Problem& p, UnfusedForm form) {
  return form != UnfusedForm::kGatherPerShard || p.dtype != DType::kF32 || p.return_gathered_a;
}

std::int64_t gathered_bytes(const Problem& p, UnfusedForm form) {
  if (!needs_in_place(p, form) || p.return_gathered_a) return 0;
  return p.m * p.k * element_bytes(p.dtype);
}
std::int64_t rank_major_bytes(const Problem& p, UnfusedForm form) {
  return needs_rank_major(form) ? p.m * p.k * element_bytes(p.dtype) : 0;
}

}  // namespace

std::int64_t unfused_bytes(const Problem& p, UnfusedForm form, std::int32_t threads) {
  const std::int64_t local =
      p.dtype == DType::kF32 ? 0
                             : fused_workspace(local_problem(p), local_config(p), threads).total();
  return gathered_bytes(p, form) + rank_major_bytes(p, form) + local;
}

Unfused::Unfused(Rank& rank, const Problem& problem, UnfusedForm form, TraceSink* trace)
    : problem_(problem),
      form_(form),
      link_(rank.endpoint(), problem.world_size),
      gathered_(gathered_bytes(problem, form), "the gathered A"),
      rank_major_(rank_major_bytes(problem, form), "the gathered shards"),
      local_problem_(local_problem(problem)) {
  call_.grid = make_grid(problem, local_config(problem), rank.rank());
  call_.trace = trace;
  if (problem.dtype == DType::kF32) return;
  const FusedConfig config = local_config(problem);
  const std::int32_t threads = rank.threads_per_rank();
  local_buffers_ = FusedBuffers(fused_workspace(local_problem_, config, threads));
  local_call_.grid = make_grid(local_problem_, config, 0);
  local_call_.workspace = local_buffers_.view();
  local_call_.trace = trace;
}

std::int64_t Unfused::bytes() const noexcept {
  return gathered_.size() + rank_major_.size() + local_buffers_.bytes();
}

cpu::Matrix Unfused::gathered(const RunArgs& args) const {
  if (args.gathered_a != nullptr) return {static_cast<std::byte*>(args.gathered_a), args.ldg};
  return {gathered_.data(), problem_.min_ldg()};
}

void Unfused::gather(const RunArgs& args) {
  link_.begin(call_, problem_, args);
  const cpu::GatherTarget in_place = cpu::in_place_target(call_, gathered(args));
  const cpu::GatherTarget packed = cpu::rank_major_target(call_, rank_major_.data());
  const cpu::GatherTarget& target = needs_rank_major(form_) ? packed : in_place;
  link_.exchange(call_, [&](std::int32_t worker) { cpu::gather_worker(call_, target, worker); });
  if (needs_rank_major(form_) && needs_in_place(problem_, form_)) {
    link_.tickets().next_gather = 0;
    link_.work([&](std::int32_t) { cpu::relayout_worker(call_, packed, in_place); });
  }
}

void Unfused::product_f32(const RunArgs& args) {
  const cpu::Span span(call_.trace, TraceKind::kCompute, call_.rank(), 0);
  auto* c = static_cast<float*>(args.c);
  if (args.bias != nullptr) {
    for (std::int64_t i = 0; i < problem_.m; ++i) {
      std::copy_n(static_cast<const float*>(args.bias), problem_.n, c + i * args.ldc);
    }
  }
  cpu::Sgemm gemm{.a_t = a_transposed(problem_.layout),
                  .b_t = b_transposed(problem_.layout),
                  .m = problem_.m,
                  .n = problem_.n,
                  .k = problem_.k,
                  .b = static_cast<const float*>(args.b),
                  .ldb = args.ldb,
                  .accumulate = args.bias != nullptr,
                  .c = c,
                  .ldc = args.ldc};
  const std::int32_t threads = link_.endpoint().threads_per_rank();
  if (form_ != UnfusedForm::kGatherPerShard) {
    const cpu::Matrix a = gathered(args);
    gemm.a = reinterpret_cast<const float*>(a.data);
    gemm.lda = a.ld;
    cpu::sgemm(gemm, threads);
    return;
  }
  const bool by_m = problem_.shard_dim == ShardDim::kM;
  gemm.m = problem_.m_local();
  gemm.k = problem_.k_local();
  gemm.lda = problem_.min_lda();
  for (std::int64_t shard = 0; shard < problem_.world_size; ++shard) {
    gemm.a = rank_major_.as<float>() + shard * gemm.m * gemm.k;
    if (by_m) {
      gemm.c = c + shard * gemm.m * args.ldc;
    } else {
      gemm.b =
          static_cast<const float*>(args.b) + cpu::element(gemm.b_t, shard * gemm.k, 0, args.ldb);
      gemm.accumulate = args.bias != nullptr || shard > 0;
    }
    cpu::sgemm(gemm, threads);
  }
}

void Unfused::product_wide(const RunArgs& args) {
  link_.fill(local_call_, local_problem_, args);
  const cpu::Matrix a = gathered(args);
  local_call_.a = {a.data, a.ld};
  local_call_.gathered_a = {};
  local_call_.epoch = ++local_epoch_;
  link_.work([this](std::int32_t worker) { cpu::fused_worker(local_call_, worker); });
}

void Unfused::product(const RunArgs& args) {
  if (problem_.dtype == DType::kF32) {
    product_f32(args);
  } else {
    product_wide(args);
  }
}

void Unfused::run(const RunArgs& args) {
  gather(args);
  product(args);
}

}  // namespace weft::ops
