// SPDX-License-Identifier: Apache-2.0
// Staging holds the parts one after the other, each packed, so that a part is one dense operand:
//
//   piece 0: | k-group 0: rows x depth | k-group 1 | ... |   piece 1: | k-group 0 | ...
//   a part begins at rows.begin * K + rows.size * depth.begin
#include "kernels/cpu/tile.hpp"

#include <algorithm>

#include "kernels/cpu/convert.hpp"
#include "kernels/cpu/micro_kernel.hpp"
#include "kernels/cpu/span.hpp"

namespace weft::cpu {

using schedule::Range;

namespace {

const std::uint16_t* as_bf16(const std::byte* p) {
  return reinterpret_cast<const std::uint16_t*>(p);
}
const float* as_f32(const std::byte* p) { return reinterpret_cast<const float*>(p); }

std::int64_t part_offset(const schedule::Grid& g, Range piece, Range depth) {
  return piece.begin * g.spec.k + piece.size() * depth.begin;
}

}  // namespace

TileWorker::TileWorker(const Call& call, std::int32_t worker)
    : call_(call),
      worker_(worker),
      a_wide_(call.workspace.a_wide + worker * call.workspace.a_wide_size),
      c_wide_(call.workspace.c_wide + worker * call.workspace.c_wide_size),
      shards_(static_cast<std::size_t>(call.world_size())) {
  shards_[static_cast<std::size_t>(call.rank())] = call.a;
}

ConstMatrix TileWorker::shard(std::int32_t owner) {
  ConstMatrix& known = shards_[static_cast<std::size_t>(owner)];
  if (known.data == nullptr) known = wait_for_shard(call_, owner, worker_);
  return known;
}

void TileWorker::widen_b() {
  if (!call_.wide) return;
  const schedule::GridSpec& s = call_.grid.spec;
  const std::int64_t rows = call_.b_t ? s.n : s.k;
  const std::int64_t cols = call_.b_t ? s.k : s.n;
  for (;;) {
    const std::int64_t panel = call_.tickets->next_b_panel.fetch_add(1);
    if (panel >= num_b_panels(rows)) return;
    const Span span(call_.trace, TraceKind::kWiden, call_.rank(), worker_);
    const std::int64_t first = panel * kBPanelRows;
    widen(as_bf16(call_.b.data) + first * call_.b.ld, call_.b.ld,
          call_.workspace.b_wide + first * call_.workspace.ldb_wide, call_.workspace.ldb_wide,
          std::min(kBPanelRows, rows - first), cols);
    set_flag(call_.workspace.b_flags[panel], call_.epoch);
  }
}

void TileWorker::wait_for_b(Range cols, Range depth) {
  const Range rows = call_.b_t ? cols : depth;
  const Range panels{rows.begin / kBPanelRows, num_b_panels(rows.end)};
  for (std::int64_t panel = panels.begin; panel < panels.end; ++panel) {
    call_.waiter->wait(call_.workspace.b_flags[panel], call_.epoch, call_.rank(),
                       &call_.tickets->abort, [&] { return fmt::format("panel {} of B", panel); });
  }
}

void TileWorker::fetch(schedule::FetchCoord at) {
  const schedule::Grid& g = call_.grid;
  const std::int32_t owner = schedule::owner(g, at.piece, at.k_group);
  const ConstMatrix source = shard(owner);
  const Range rows = schedule::piece_rows(g, at.piece);
  const Range depth = schedule::k_group_range(g, at.k_group);
  {
    const Span span(call_.trace, TraceKind::kFetch, call_.rank(), worker_, at.piece, -1,
                    at.k_group);
    const std::int64_t m0 = rows.begin - (g.spec.shard_m ? owner * g.m_local : 0);
    const std::int64_t k0 = depth.begin - (g.spec.shard_m ? 0 : owner * g.k_local);
    const std::int64_t offset = element(call_.a_t, m0, k0, source.ld);
    const std::int64_t stored_rows = call_.a_t ? depth.size() : rows.size();
    const std::int64_t stored_cols = call_.a_t ? rows.size() : depth.size();
    float* target = call_.workspace.staging + part_offset(g, rows, depth);
    if (call_.wide) {
      widen(as_bf16(source.data) + offset, source.ld, target, stored_cols, stored_rows,
            stored_cols);
    } else {
      constexpr std::int64_t kBytes = sizeof(float);
      copy_rows(source.data + offset * kBytes, source.ld * kBytes,
                reinterpret_cast<std::byte*>(target), stored_cols * kBytes, stored_rows,
                stored_cols * kBytes);
    }
  }
  set_flag(call_.workspace.staging_flags[schedule::flag_index(g, at.piece, at.k_group)],
           call_.epoch);
}

TileWorker::Part TileWorker::part(std::int64_t piece, std::int64_t k_group, Range rows,
                                  Range depth) {
  const schedule::Grid& g = call_.grid;
  const std::int32_t owner = schedule::owner(g, piece, k_group);
  if (call_.staged && schedule::is_fetched(g, piece, k_group)) {
    const Flag& flag = call_.workspace.staging_flags[schedule::flag_index(g, piece, k_group)];
#ifndef WEFT_MUTANT_NO_STAGING_WAIT  // a test drops this wait and expects ThreadSanitizer to see it
    if (!epoch_reached(read_flag(flag), call_.epoch)) {
      const Span span(call_.trace, TraceKind::kWait, call_.rank(), worker_, piece, -1, k_group);
      call_.waiter->wait(flag, call_.epoch, owner, &call_.tickets->abort, [&] {
        return fmt::format("the flag of m_tile {}, k_group {}", piece, k_group);
      });
    }
#else
    static_cast<void>(flag);
#endif
    const Range piece_rows = schedule::piece_rows(g, piece);
    const std::int64_t ld = call_.a_t ? piece_rows.size() : depth.size();
    const float* base = call_.workspace.staging + part_offset(g, piece_rows, depth) +
                        element(call_.a_t, rows.begin - piece_rows.begin, 0, ld);
    return {reinterpret_cast<const std::byte*>(base), ld, true};
  }
  const ConstMatrix source = shard(owner);
  const std::int64_t m0 = rows.begin - (g.spec.shard_m ? owner * g.m_local : 0);
  const std::int64_t k0 = depth.begin - (g.spec.shard_m ? 0 : owner * g.k_local);
  return {source.data + element(call_.a_t, m0, k0, source.ld) * call_.element_bytes(), source.ld,
          !call_.wide};
}

void TileWorker::multiply(const Part& a, Range rows, Range cols, Range depth, float* c,
                          std::int64_t ldc, bool accumulate) {
  Sgemm gemm{.a_t = call_.a_t,
             .b_t = call_.b_t,
             .m = rows.size(),
             .n = cols.size(),
             .k = depth.size(),
             .a = as_f32(a.data),
             .lda = a.ld,
             .accumulate = accumulate,
             .c = c,
             .ldc = ldc};
  const float* b = call_.wide ? call_.workspace.b_wide : as_f32(call_.b.data);
  gemm.ldb = call_.wide ? call_.workspace.ldb_wide : call_.b.ld;
  if (a.is_f32) {
    gemm.b = b + element(call_.b_t, depth.begin, cols.begin, gemm.ldb);
    sgemm(gemm, 1);
    return;
  }
  // 16-bit A: widen a slice that stays in cache, multiply it, go on.
  gemm.a = a_wide_;
  for (std::int64_t k = depth.begin; k < depth.end; k += kWidenDepth) {
    gemm.k = std::min(kWidenDepth, depth.end - k);
    const std::int64_t stored_rows = call_.a_t ? gemm.k : gemm.m;
    gemm.lda = call_.a_t ? gemm.m : gemm.k;
    widen(as_bf16(a.data) + element(call_.a_t, 0, k - depth.begin, a.ld), a.ld, a_wide_, gemm.lda,
          stored_rows, gemm.lda);
    gemm.b = b + element(call_.b_t, k, cols.begin, gemm.ldb);
    sgemm(gemm, 1);
    gemm.accumulate = true;
  }
}

void TileWorker::compute(schedule::TileCoord tile) {
  const schedule::Grid& g = call_.grid;
  const Range tile_rows = schedule::m_tile_rows(g, tile.m_tile);
  const Range cols = schedule::n_tile_cols(g, tile.n_tile);
  const bool bias_first = !call_.wide && call_.bias != nullptr;
  float* c = call_.wide ? c_wide_
                        : reinterpret_cast<float*>(call_.c.data) + tile_rows.begin * call_.c.ld +
                              cols.begin;
  const std::int64_t ldc = call_.wide ? cols.size() : call_.c.ld;
  if (bias_first) {
    for (std::int64_t i = 0; i < tile_rows.size(); ++i) {
      std::copy_n(as_f32(call_.bias) + cols.begin, cols.size(), c + i * ldc);
    }
  }
  const Range pieces = schedule::pieces_of_m_tile(g, tile.m_tile);
  for (std::int64_t piece = pieces.begin; piece < pieces.end; ++piece) {
    const Range piece_rows = schedule::piece_rows(g, piece);
    const Range rows{std::max(tile_rows.begin, piece_rows.begin),
                     std::min(tile_rows.end, piece_rows.end)};
    float* c_rows = c + (rows.begin - tile_rows.begin) * ldc;
    for (std::int64_t i = 0; i < g.num_k_groups; ++i) {
      const std::int64_t k_group = schedule::k_visit(g, i);
      const Range depth = schedule::k_group_range(g, k_group);
      const Part a = part(piece, k_group, rows, depth);
      if (call_.wide) wait_for_b(cols, depth);
      const Span span(call_.trace, TraceKind::kCompute, call_.rank(), worker_, tile.m_tile,
                      tile.n_tile, k_group);
      multiply(a, rows, cols, depth, c_rows, ldc, i > 0 || bias_first);
    }
  }
  if (call_.wide) {
    narrow(
        c_wide_, ldc, call_.bias == nullptr ? nullptr : as_bf16(call_.bias) + cols.begin,
        reinterpret_cast<std::uint16_t*>(call_.c.data) + tile_rows.begin * call_.c.ld + cols.begin,
        call_.c.ld, tile_rows.size(), cols.size());
  }
}

}  // namespace weft::cpu
