// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cpu/convert.hpp"
#include "kernels/cpu/span.hpp"
#include "kernels/cpu/workers.hpp"

namespace weft::cpu {
namespace {

// Copied by one ticket: large enough to stream, small enough to spread over the workers.
constexpr std::int64_t kItemBytes = 512 * 1024;

// A shard as it is stored: [rows, cols].
struct ShardShape {
  std::int64_t rows, cols;
  std::int64_t item_rows;  // rows a ticket
  std::int64_t items;      // tickets a shard
};

ShardShape shard_shape(const Call& call) {
  const schedule::Grid& g = call.grid;
  ShardShape s{};
  s.rows = call.a_t ? g.k_local : g.m_local;
  s.cols = call.a_t ? g.m_local : g.k_local;
  s.item_rows = std::max<std::int64_t>(1, kItemBytes / (s.cols * call.element_bytes()));
  s.items = schedule::ceil_div(s.rows, s.item_rows);
  return s;
}

void copy_item(const Call& call, const ShardShape& s, std::int64_t item, const std::byte* source,
               std::int64_t source_ld, std::byte* target, std::int64_t target_ld) {
  const std::int64_t bytes = call.element_bytes();
  const std::int64_t first = item * s.item_rows;
  copy_rows(source + first * source_ld * bytes, source_ld * bytes,
            target + first * target_ld * bytes, target_ld * bytes,
            std::min(s.item_rows, s.rows - first), s.cols * bytes);
}

std::byte* shard_begin(const Call& call, const GatherTarget& target, std::int64_t shard) {
  return target.matrix.data + shard * target.shard_stride * call.element_bytes();
}

}  // namespace

GatherTarget in_place_target(const Call& call, Matrix gathered) {
  const schedule::Grid& g = call.grid;
  const bool m_step = g.spec.shard_m;
  return {gathered, element(call.a_t, m_step ? g.m_local : 0, m_step ? 0 : g.k_local, gathered.ld)};
}

GatherTarget rank_major_target(const Call& call, std::byte* data) {
  const ShardShape s = shard_shape(call);
  return {{data, s.cols}, s.rows * s.cols};
}

std::int64_t num_gather_items(const Call& call) {
  return call.world_size() * shard_shape(call).items;
}

void gather_worker(const Call& call, const GatherTarget& target, std::int32_t worker) {
  const ShardShape s = shard_shape(call);
  for (;;) {
    const std::int64_t ticket = call.tickets->next_gather.fetch_add(1);
    if (ticket >= num_gather_items(call)) return;
    const auto shard =
        static_cast<std::int32_t>((call.rank() + ticket / s.items) % call.world_size());
    const ConstMatrix source = shard == call.rank() ? call.a : wait_for_shard(call, shard, worker);
    const Span span(call.trace, TraceKind::kGather, call.rank(), worker);
    copy_item(call, s, ticket % s.items, source.data, source.ld, shard_begin(call, target, shard),
              target.matrix.ld);
  }
}

void relayout_worker(const Call& call, const GatherTarget& source, const GatherTarget& target) {
  const ShardShape s = shard_shape(call);
  for (;;) {
    const std::int64_t ticket = call.tickets->next_gather.fetch_add(1);
    if (ticket >= num_gather_items(call)) return;
    const std::int64_t shard = ticket / s.items;
    copy_item(call, s, ticket % s.items, shard_begin(call, source, shard), source.matrix.ld,
              shard_begin(call, target, shard), target.matrix.ld);
  }
}

}  // namespace weft::cpu
