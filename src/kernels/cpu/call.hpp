// SPDX-License-Identifier: Apache-2.0
// One call on one rank: operands, peers, workspace and tickets, as the workers see them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kernels/shared/waiter.hpp"
#include "schedule/order.hpp"
#include "weft/trace.hpp"

namespace weft::cpu {

/// What one rank shows its peers, in memory that all ranks reach. `a` and `lda` are written before
/// `ready` is raised and stay until every peer has raised `done`.
struct PeerBlock {
  Flag ready;  ///< epoch of the call whose shard stands below
  Flag done;   ///< epoch of the last call in which this rank read peers' shards
  alignas(128) const std::byte* a = nullptr;
  std::int64_t lda = 0;  ///< elements
};

/// Row-major matrix in memory. Leading dimension in elements.
struct Matrix {
  std::byte* data = nullptr;
  std::int64_t ld = 0;
};
struct ConstMatrix {
  const std::byte* data = nullptr;
  std::int64_t ld = 0;
};

/// Private memory of one rank's plan. Sizes: workspace.hpp.
struct Workspace {
  float* staging = nullptr;       ///< [M*K], parts one after the other, widened to f32
  Flag* staging_flags = nullptr;  ///< schedule::num_flags
  float* b_wide = nullptr;        ///< 16-bit types: B as stored, widened
  std::int64_t ldb_wide = 0;
  Flag* b_flags = nullptr;       ///< one a panel of stored rows of B
  float* a_wide = nullptr;       ///< 16-bit types: per worker, one part of A
  std::int64_t a_wide_size = 0;  ///< floats a worker
  float* c_wide = nullptr;       ///< 16-bit types: per worker, one tile of C
  std::int64_t c_wide_size = 0;  ///< floats a worker
};

/// Work that is handed out once. Set to zero before the workers start.
struct Tickets {
  alignas(128) std::atomic<std::int64_t> next_b_panel{0};
  alignas(128) std::atomic<std::int64_t> next_tile{0};
  alignas(128) std::atomic<std::int64_t> next_fetch{0};  ///< over all stages, in stage order
  alignas(128) std::atomic<std::int64_t> fetches_left{0};
  alignas(128) std::atomic<std::int64_t> next_gather{0};
  alignas(128) std::atomic<bool> abort{false};
};

struct Call {
  schedule::Grid grid;
  bool a_t = false, b_t = false;  ///< stored transposed
  bool wide = false;              ///< bf16: widened to f32 for the product
  std::int32_t threads = 1;       ///< workers of this rank
  bool staged = false;            ///< fetched parts come from staging, else from the peer
  std::int32_t first_stage_fetchers = 1, later_fetchers = 1;

  ConstMatrix a, b;  ///< own shard; B
  Matrix c;
  const std::byte* bias = nullptr;  ///< [N] or null
  Matrix gathered_a;                ///< data null: not asked for

  PeerBlock* peers = nullptr;  ///< [world_size]
  const Waiter* waiter = nullptr;
  std::uint32_t epoch = 0;
  Workspace workspace;
  Tickets* tickets = nullptr;
  TraceSink* trace = nullptr;

  [[nodiscard]] std::int32_t rank() const noexcept { return grid.spec.rank; }
  [[nodiscard]] std::int32_t world_size() const noexcept { return grid.spec.world_size; }
  [[nodiscard]] std::int64_t element_bytes() const noexcept { return wide ? 2 : 4; }
};

/// Element offset of A(m, k), or of B(k, n) with (row, col) = (k, n), in a row-major matrix.
constexpr std::int64_t element(bool transposed, std::int64_t row, std::int64_t col,
                               std::int64_t ld) noexcept {
  return transposed ? col * ld + row : row * ld + col;
}

/// The shard of `peer`, once its ready flag has come. @throws Error kTimeout
ConstMatrix wait_for_shard(const Call& call, std::int32_t peer, std::int32_t worker);

/// Publishes the own shard to the peers.
void publish_shard(const Call& call);

/// Tells the peers that this rank reads their shards no more.
void signal_done(const Call& call);

/// Waits until no peer reads the own shard any more. @throws Error kTimeout
void wait_for_readers(const Call& call);

/// After a failure: as wait_for_readers, but for as long as each peer takes part, and without
/// throwing, so that the caller may free its shard.
void drain_readers(const Call& call) noexcept;

}  // namespace weft::cpu
