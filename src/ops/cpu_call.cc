// SPDX-License-Identifier: Apache-2.0
#include "ops/cpu_call.hpp"

#include <algorithm>

#include "kernels/cpu/tile.hpp"
#include "kernels/cpu/workers.hpp"

namespace weft::ops {
namespace {

constexpr std::int64_t kFloat = sizeof(float);
constexpr std::int64_t kFlag = sizeof(Flag);

void start_flags(const Buffer& buffer) {
  for (std::int64_t i = 0; i < buffer.size() / kFlag; ++i) buffer.as<Flag>()[i].word = kFirstEpoch;
}

}  // namespace

schedule::Grid make_grid(const Problem& p, const FusedConfig& c, std::int32_t rank) {
  return schedule::make_grid({.m = p.m,
                              .n = p.n,
                              .k = p.k,
                              .world_size = p.world_size,
                              .rank = rank,
                              .shard_m = p.shard_dim == ShardDim::kM,
                              .rotate = !p.same_on_all_ranks,
                              .tile_m = c.tile_m,
                              .tile_n = c.tile_n,
                              .tile_k = c.tile_k,
                              .group_m = c.group_m,
                              .k_per_flag = c.k_per_flag,
                              .num_fetch_stages = c.num_fetch_stages});
}

FusedWorkspace fused_workspace(const Problem& p, const FusedConfig& c, std::int32_t threads) {
  const schedule::Grid grid = make_grid(p, c, 0);
  FusedWorkspace w;
  if (c.variant == Variant::kStaged && p.world_size > 1) {
    w.staging = p.m * p.k * kFloat;
    w.staging_flags = schedule::num_flags(grid) * kFlag;
  }
  if (p.dtype == DType::kF32) return w;
  const bool b_t = b_transposed(p.layout);
  const std::int64_t b_rows = b_t ? p.n : p.k, b_cols = b_t ? p.k : p.n;
  // Odd multiples of a cache line keep rows of a power-of-two B apart in the caches.
  constexpr std::int64_t kLine = 16;
  w.ldb_wide = (schedule::ceil_div(b_cols, kLine) | 1) * kLine;
  w.b_wide = b_rows * w.ldb_wide * kFloat;
  w.b_flags = cpu::num_b_panels(b_rows) * kFlag;
  const std::int64_t rows = std::min<std::int64_t>(c.tile_m, p.m);
  w.a_wide_size = rows * std::min(cpu::kWidenDepth, grid.k_local);
  w.c_wide_size = rows * std::min<std::int64_t>(c.tile_n, p.n);
  w.a_wide = threads * w.a_wide_size * kFloat;
  w.c_wide = threads * w.c_wide_size * kFloat;
  return w;
}

FusedBuffers::FusedBuffers(const FusedWorkspace& w)
    : staging_(w.staging, "staging"),
      staging_flags_(w.staging_flags, "staging flags"),
      b_wide_(w.b_wide, "B in f32"),
      b_flags_(w.b_flags, "flags of B"),
      a_wide_(w.a_wide, "tiles of A in f32"),
      c_wide_(w.c_wide, "tiles of C in f32"),
      bytes_(w.total()) {
  start_flags(staging_flags_);
  start_flags(b_flags_);
  view_ = {.staging = staging_.as<float>(),
           .staging_flags = staging_flags_.as<Flag>(),
           .b_wide = b_wide_.as<float>(),
           .ldb_wide = w.ldb_wide,
           .b_flags = b_flags_.as<Flag>(),
           .a_wide = a_wide_.as<float>(),
           .a_wide_size = w.a_wide_size,
           .c_wide = c_wide_.as<float>(),
           .c_wide_size = w.c_wide_size};
}

CpuLink::CpuLink(comm::Endpoint& endpoint, std::int32_t world_size)
    : endpoint_(&endpoint),
      shared_(endpoint.alloc_shared(static_cast<std::size_t>(world_size) * sizeof(cpu::PeerBlock),
                                    "plan creation")),
      peers_(reinterpret_cast<cpu::PeerBlock*>(shared_.get())),
      tickets_(std::make_unique<cpu::Tickets>()),
      epoch_(kFirstEpoch) {
  peers_[endpoint.rank()].ready.word = kFirstEpoch;
  peers_[endpoint.rank()].done.word = kFirstEpoch;
  endpoint.barrier("plan creation");
}

void CpuLink::fill(cpu::Call& call, const Problem& problem, const RunArgs& args) {
  call.a = {static_cast<const std::byte*>(args.a_shard), args.lda};
  call.b = {static_cast<const std::byte*>(args.b), args.ldb};
  call.c = {static_cast<std::byte*>(args.c), args.ldc};
  call.bias = static_cast<const std::byte*>(args.bias);
  call.gathered_a = {static_cast<std::byte*>(args.gathered_a), args.ldg};
  call.a_t = a_transposed(problem.layout);
  call.b_t = b_transposed(problem.layout);
  call.wide = problem.dtype == DType::kBf16;
  call.threads = endpoint_->threads_per_rank();
  call.peers = peers_;
  call.waiter = &endpoint_->waiter();
  call.tickets = tickets_.get();
  tickets_->next_b_panel = 0;
  tickets_->next_tile = 0;
  tickets_->next_fetch = 0;
  tickets_->next_gather = 0;
  tickets_->abort = false;
}

void CpuLink::begin(cpu::Call& call, const Problem& problem, const RunArgs& args) {
  fill(call, problem, args);
  call.epoch = ++epoch_;
  cpu::publish_shard(call);
}

void CpuLink::work(const std::function<void(std::int32_t)>& fn) {
  endpoint_->run_workers(fn, tickets_->abort);
}

void CpuLink::exchange(const cpu::Call& call, const std::function<void(std::int32_t)>& fn) {
  try {
    work(fn);
    cpu::signal_done(call);
    cpu::wait_for_readers(call);
  } catch (...) {
    // The workers have joined, so this rank reads no more; the peers may still read its shard.
    cpu::signal_done(call);
    cpu::drain_readers(call);
    throw;
  }
}

CpuFused::CpuFused(comm::Endpoint& endpoint, const Problem& problem, const FusedConfig& config,
                   TraceSink* trace)
    : problem_(problem),
      link_(endpoint, problem.world_size),
      buffers_(fused_workspace(problem, config, endpoint.threads_per_rank())) {
  call_.grid = make_grid(problem, config, endpoint.rank());
  call_.staged = config.variant == Variant::kStaged && problem.world_size > 1;
  call_.first_stage_fetchers = config.first_stage_fetch_sms;
  call_.later_fetchers = config.num_fetch_sms;
  call_.workspace = buffers_.view();
  call_.trace = trace;
}

void CpuFused::run(const RunArgs& args) {
  std::int64_t fetches = 0;
  for (std::int64_t stage = 0; stage < call_.grid.num_stages; ++stage) {
    fetches += schedule::stage_fetches(call_.grid, stage);
  }
  link_.tickets().fetches_left = fetches;
  link_.begin(call_, problem_, args);
  link_.exchange(call_, [this](std::int32_t worker) { cpu::fused_worker(call_, worker); });
}

}  // namespace weft::ops
