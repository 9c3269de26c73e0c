// SPDX-License-Identifier: Apache-2.0
// All-gather + matmul on Hopper: one persistent kernel that reads every shard of A where it stands.
//
//   warpgroup 0  warp 0: moves operands into a ring           ──> warpgroups 1, 2: products of 64
//                warp 1: walks the schedule, a tile ahead     ──> rows each, then C through shared
//                                                                 memory while the ring fills again
//
// Work-groups of a cluster compute neighbouring m-tiles; each loads its part of the tile of B into
// the shared memory of all. The definitions WEFT_TILE_N, ... (compiler.cc) make one instance.
#include "kernels/cuda/params.hpp"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/traits.hpp"
#include "kernels/cuda/wgmma.cuh"

namespace weft::cuda {
namespace {

constexpr Traits kTraits{.tile_n = WEFT_TILE_N,
                         .num_stages = WEFT_NUM_STAGES,
                         .cluster_m = WEFT_CLUSTER_M,
                         .a_t = WEFT_A_T,
                         .b_t = WEFT_B_T,
                         .f16 = WEFT_F16,
                         .bias = WEFT_BIAS};
static_assert(kTraits.tile_n == 128 || kTraits.tile_n == 256, "one wgmma spans the tile");
static_assert(kTraits.cluster_m == 1 || kTraits.cluster_m == 2, "B is split in halves at most");

constexpr int kNumStages = kTraits.num_stages;
constexpr int kTileN = kTraits.tile_n;
constexpr int kClusterM = kTraits.cluster_m;
constexpr int kBPartN = kTileN / kClusterM;  // columns of B that one work-group loads
constexpr int kRows = 64;                    // rows of a consumer
constexpr int kNumSums = kTileN / 2;         // f32 sums a thread
constexpr int kNumWarps = 4;                 // of a warpgroup
constexpr int kTileSlots = 4;
constexpr std::uint16_t kEverybody = (1 << kClusterM) - 1;
// Registers a thread. They are traded within what the work-group was launched with: a claim beyond
// it never returns. The schedule's 64-bit arithmetic does not fit the usual 40 of a producer.
constexpr int kLaunchRegisters = 65'536 / kNumThreads / 8 * 8;
constexpr int kProducerRegisters = 56, kConsumerRegisters = 224;

/// Where a tile of C stands, as its tensor map counts. `z` below 0: no more tiles.
struct Slot {
  int x, y, z;
};

/// One visit of the K loop: where a k-group begins in its shard of A and of B. The same for all
/// tiles with shard_dim k, where `shard` is also that of B.
struct Visit {
  int shard, begin, steps;
};

/// The work-group's shared memory, as addresses in the shared window.
struct Shared {
  std::uint32_t a, b, c, full, empty, slot_full, slot_empty;
  Slot* slots;
  Visit* visits;
};

constexpr int kFullAt = 0, kEmptyAt = 8 * kNumStages, kSlotFullAt = 16 * kNumStages;
constexpr int kSlotEmptyAt = kSlotFullAt + 8 * kTileSlots, kSlotsAt = kSlotEmptyAt + 8 * kTileSlots;
static_assert(kProducerRegisters + kNumConsumers * kConsumerRegisters <=
                  kLaunchRegisters * (1 + kNumConsumers),
              "warpgroups claim more registers than there are");
constexpr int kVisitsAt = kSlotsAt + kTileSlots * sizeof(Slot);
static_assert(kVisitsAt + kMaxRanks * sizeof(Visit) <= kBarrierBytes,
              "barriers and tables overrun their part");

__device__ Shared plan_shared(unsigned char* base) {
  const std::uint32_t raw = ptx::shared_address(base);
  const std::uint32_t a = (raw + kAlignBytes - 1) / kAlignBytes * kAlignBytes;
  const std::uint32_t b = a + kNumStages * a_stage_bytes();
  const std::uint32_t c = b + kNumStages * b_stage_bytes(kTraits);
  const std::uint32_t barriers = c + kNumConsumers * kNumWarps * kStoreBuffers * kStoreBytes;
  return {a,
          b,
          c,
          barriers + kFullAt,
          barriers + kEmptyAt,
          barriers + kSlotFullAt,
          barriers + kSlotEmptyAt,
          reinterpret_cast<Slot*>(base + (barriers - raw) + kSlotsAt),
          reinterpret_cast<Visit*>(base + (barriers - raw) + kVisitsAt)};
}

__device__ void init_barriers(const Shared& s) {
  for (int i = 0; i < kNumStages; ++i) {
    ptx::mbarrier_init(s.full + 8 * i, 1);
    ptx::mbarrier_init(s.empty + 8 * i, kNumConsumers * kClusterM);
  }
  for (int i = 0; i < kTileSlots; ++i) {
    ptx::mbarrier_init(s.slot_full + 8 * i, 1);
    ptx::mbarrier_init(s.slot_empty + 8 * i, 1 + kNumConsumers * kNumWarps);  // and the producer
  }
  ptx::fence_barrier_init();
}

/// Position in a ring of `kDepth` with the parity of its lap.
template <int kDepth>
struct Ring {
  int at = 0;
  std::uint32_t parity = 0;
  __device__ void advance() {
    if (++at == kDepth) {
      at = 0;
      parity ^= 1;
    }
  }
};

// A tile of A is 128 rows of 64 (k), or 64 columns of two boxes (m) where it is stored transposed.
__device__ void load_a(const Shared& s, const Params& p, int stage, int shard, int m, int k) {
  const std::uint32_t to = s.a + stage * a_stage_bytes(), full = s.full + 8 * stage;
  if constexpr (kTraits.a_t) {
    for (int i = 0; i < kTileM / kBox; ++i) {
      ptx::load_2d(to + i * kBoxBytes, &p.a[shard], m + i * kBox, k, full);
    }
  } else {
    ptx::load_2d(to, &p.a[shard], k, m, full);
  }
}

__device__ void load_b_box(std::uint32_t to, const Params& p, int x, int y, int z,
                           std::uint32_t full) {
  if constexpr (kClusterM == 1) {
    ptx::load_3d(to, &p.b, x, y, z, full);
  } else {
    ptx::load_3d_multicast(to, &p.b, x, y, z, full, kEverybody);
  }
}

// This work-group's part of a tile of B, to the same place in every work-group of the cluster.
__device__ void load_b(const Shared& s, const Params& p, int stage, int member, int n, int k,
                       int shard) {
  const std::uint32_t part =
      s.b + stage * b_stage_bytes(kTraits) + member * (b_stage_bytes(kTraits) / kClusterM);
  const std::uint32_t full = s.full + 8 * stage;
  const int first = n + member * kBPartN;
  if constexpr (kTraits.b_t) {
    load_b_box(part, p, k, first, shard, full);
  } else {
    for (int i = 0; i < kBPartN / kBox; ++i) {
      load_b_box(part + i * kBoxBytes, p, first + i * kBox, k, shard, full);
    }
  }
}

__device__ void publish_slot(const Shared& s, Ring<kTileSlots>& slot, Slot value) {
  ptx::wait(s.slot_empty + 8 * slot.at, slot.parity ^ 1);
  s.slots[slot.at] = value;
  ptx::arrive(s.slot_full + 8 * slot.at);
  slot.advance();
}

__device__ void fill_visits(const Shared& s, const schedule::Grid& g) {
  for (int i = 0; i < g.num_k_groups; ++i) {
    const std::int64_t k_group = schedule::k_visit(g, i);
    const schedule::Range depth = schedule::k_group_range(g, k_group);
    const int shard = g.spec.shard_m ? 0 : schedule::owner(g, 0, k_group);
    s.visits[i] = {shard, static_cast<int>(depth.begin - shard * g.k_local),
                   static_cast<int>(schedule::ceil_div(depth.size(), kTileK))};
  }
}

/// Walks the cluster's tiles in schedule order. NOTE: its 64-bit divisions take thousands of
/// cycles, so they must not stand between the loads of two tiles.
__device__ void schedule_tiles(const Shared& s, const Params& p) {
  const schedule::Grid& g = p.grid;
  const int member = static_cast<int>(ptx::cluster_rank());
  const std::int64_t num_clusters = gridDim.x / kClusterM;
  const std::int64_t tiles = schedule::num_tiles(g);
  Ring<kTileSlots> slot;
  for (std::int64_t i = blockIdx.x / kClusterM; i < tiles; i += num_clusters) {
    const schedule::TileCoord tile = schedule::tile_order(g, i);
    const int n = static_cast<int>(schedule::n_tile_cols(g, tile.n_tile).begin);
    const int row = static_cast<int>(schedule::m_tile_rows(g, tile.m_tile).begin);
    // Rows count within a shard where the rows are split.
    const int row_shard = g.spec.shard_m ? schedule::owner(g, tile.m_tile, 0) : 0;
    publish_slot(s, slot,
                 {n, row - static_cast<int>(row_shard * g.m_local) + member * kTileM, row_shard});
  }
  publish_slot(s, slot, {0, 0, -1});
}

/// Keeps the ring full.
__device__ void produce(const Shared& s, const Params& p) {
  const int member = static_cast<int>(ptx::cluster_rank());
  const int visits = static_cast<int>(p.grid.num_k_groups);
  Ring<kNumStages> ring;
  Ring<kTileSlots> slot;
  for (;;) {
    ptx::wait(s.slot_full + 8 * slot.at, slot.parity);
    const Slot at = s.slots[slot.at];
    ptx::arrive(s.slot_empty + 8 * slot.at);
    slot.advance();
    if (at.z < 0) return;
    for (int i = 0; i < visits; ++i) {
      const Visit visit = s.visits[i];
      const int a_shard = p.grid.spec.shard_m ? at.z : visit.shard;
      int k = visit.begin;
      for (int step = 0; step < visit.steps; ++step, k += kTileK) {
        ptx::wait(s.empty + 8 * ring.at, ring.parity ^ 1);
        ptx::arrive_expect(s.full + 8 * ring.at, stage_bytes(kTraits));
        load_a(s, p, ring.at, a_shard, at.y, k);
        load_b(s, p, ring.at, member, at.x, k, visit.shard);
        ring.advance();
      }
    }
  }
}

__device__ void release_stage(const Shared& s, int stage) {
  const int thread = threadIdx.x % 128;
  if (thread < kClusterM) {
    if constexpr (kClusterM == 1) {
      ptx::arrive(s.empty + 8 * stage);
    } else {
      ptx::arrive_remote(s.empty + 8 * stage, thread);
    }
  }
}

// Stride between 8-row groups; where an operand is stored along M or N also between boxes.
constexpr int kGroupBytes = 1024;
constexpr int kLeadingK = 16, kLeadingMn = kBoxBytes;
constexpr int kWgmmaK = 16;
// Bytes to the next 16 of k, and to a consumer's rows, inside a tile.
WEFT_HD constexpr int step_bytes(bool transposed) {
  return transposed ? kWgmmaK * 128 : kWgmmaK * 2;
}

/// One k-tile: 64 rows of A times the tile of B.
__device__ void multiply(const Shared& s, int stage, int consumer, float (&sums)[kNumSums],
                         bool accumulate) {
  // A is "transposed" to wgmma where it is stored along M, B where it is stored along N.
  constexpr bool kAlongM = kTraits.a_t, kAlongN = !kTraits.b_t;
  const std::uint32_t a = s.a + stage * a_stage_bytes() + consumer * (a_stage_bytes() / 2);
  const std::uint32_t b = s.b + stage * b_stage_bytes(kTraits);
  const std::uint64_t a_tile = ptx::descriptor(a, kAlongM ? kLeadingMn : kLeadingK, kGroupBytes);
  const std::uint64_t b_tile = ptx::descriptor(b, kAlongN ? kLeadingMn : kLeadingK, kGroupBytes);
#pragma unroll
  for (int i = 0; i < kTileK / kWgmmaK; ++i) {
    ptx::wgmma<kTraits.f16, kAlongM, kAlongN>(sums, a_tile + i * (step_bytes(kAlongM) >> 4),
                                              b_tile + i * (step_bytes(kAlongN) >> 4),
                                              accumulate || i > 0);
  }
}

__device__ float bias_at(const Params& p, int n) {
  if (n >= p.grid.spec.n) return 0;
  return ptx::widen<kTraits.f16>(static_cast<const std::uint16_t*>(p.bias)[n]);
}

/// Whether a bulk store may write 64 columns from `n` on.
/// NOTE: bulk stores clip at 16 bytes, not at the last column: they would write into the padding.
__device__ bool bulk_storable(const Params& p, int n) {
  const std::int64_t columns = p.grid.spec.n;
  return !p.plain_c && (columns % 8 == 0 || n + kBox <= columns);
}

/// Copies a warp's finished box to C with plain stores.
__device__ __noinline__ void store_plain(const Params& p, std::uint32_t box, int x, int y, int z) {
  const schedule::Grid& g = p.grid;
  for (int i = threadIdx.x % 32; i < kStoreRows * kBox; i += 32) {
    const int row = i / kBox, column = i % kBox;
    if (y + row >= g.m_local || x + column >= g.spec.n) continue;
    p.c_data[(z * g.m_local + y + row) * p.ldc + x + column] = ptx::load_shared(
        box + row * 128 + (((column / 8) ^ (row % 8)) * 16) + column % 8 * kElementBytes);
  }
}

/// A warpgroup that multiplies. It keeps a finished tile rounded in registers and stores it while
/// the products of the next one run, so that the matrix units wait for the rounding alone.
class Consumer {
 public:
  __device__ Consumer(const Shared& s, const Params& p, int index) : s_(s), p_(p), index_(index) {}

  __device__ void run() {
    const schedule::Grid& g = p_.grid;
    const int shards = g.spec.shard_m ? 1 : g.spec.world_size;
    const int k_steps = shards * static_cast<int>(schedule::ceil_div(g.k_local, kTileK));
    float sums[kNumSums];
    for (;;) {
      ptx::wait(s_.slot_full + 8 * slot_.at, slot_.parity);
      if (s_.slots[slot_.at].z < 0) break;
      compute(k_steps, sums);
      round(s_.slots[slot_.at].x, sums);
      slot_.advance();
      pending_ = true;
    }
    store<0>();
    store<1>();
    if (threadIdx.x % 32 == 0) ptx::wait_stores_read<0>();
  }

 private:
  __device__ void issue(float (&sums)[kNumSums], bool accumulate) {
    ptx::wait(s_.full + 8 * ring_.at, ring_.parity);
    ptx::wgmma_hold(sums);
    ptx::wgmma_fence();
    multiply(s_, ring_.at, index_, sums, accumulate);
    ptx::wgmma_commit();
    ptx::wgmma_hold(sums);
  }

  __device__ void release_previous() {
    release_stage(s_, ring_.at == 0 ? kNumStages - 1 : ring_.at - 1);
  }

  /// The sums of one tile over all of K; stores the tile before it.
  __device__ void compute(int k_steps, float (&sums)[kNumSums]) {
    issue(sums, false);
    store<0>();
    ring_.advance();
    if (k_steps == 1) store<1>();
    for (int step = 1; step < k_steps; ++step) {
      issue(sums, true);
      if (step == 1) store<1>();
      // The previous k-tile is read once at most the current one is under way.
      ptx::wgmma_wait<1>();
      release_previous();
      ring_.advance();
    }
    ptx::wgmma_wait<0>();
    ptx::wgmma_hold(sums);
    release_previous();
  }

  /// Rounds the sums of a tile whose columns begin at `x`. wgmma leaves rows lane/4 and lane/4 + 8
  /// of a warp's 16, and columns 2 * (lane % 4) of each 8, to a lane.
  __device__ void round(int x, const float (&sums)[kNumSums]) {
#pragma unroll
    for (int i = 0; i < kNumSums; i += 4) {
      float d[4] = {sums[i], sums[i + 1], sums[i + 2], sums[i + 3]};
      if constexpr (kTraits.bias) {
        const int n = x + i * 2 + threadIdx.x % 4 * 2;
        const float even = bias_at(p_, n), odd = bias_at(p_, n + 1);
        for (int j = 0; j < 4; ++j) d[j] += j % 2 == 0 ? even : odd;
        // Without this all loads are moved to the front, where there are no registers for them.
        if (i % 32 == 28) ptx::hold();
      }
      rounded_[i / 2] = ptx::pack<kTraits.f16>(d[0], d[1]);
      rounded_[i / 2 + 1] = ptx::pack<kTraits.f16>(d[2], d[3]);
    }
  }

  /// Stores the part of the pending tile that the warp's buffers hold at a time; the last part
  /// gives its slot back.
  template <int kPart>
  __device__ void store() {
    if (!pending_) return;
    const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
    const Slot at = s_.slots[slot_.at == 0 ? kTileSlots - 1 : slot_.at - 1];
    const int row = lane % 8 + (lane / 8 % 2) * 8;
    const int y = at.y + index_ * kRows + warp * kStoreRows;
    const std::uint32_t boxes = s_.c + (index_ * kNumWarps + warp) * kStoreBuffers * kStoreBytes;
    if (lane == 0) ptx::wait_stores_read<0>();
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kStoreBuffers; ++i) {
      const int chunk = kPart * kStoreBuffers + i;
      if (chunk >= kTileN / kBox) continue;
      const std::uint32_t box = boxes + i * kStoreBytes;
#pragma unroll
      for (int pair = 0; pair < kBox / 16; ++pair) {
        const std::uint32_t* r = rounded_ + chunk * (kBox / 4) + pair * 4;
        const int column = pair * 2 + lane / 16;  // of 16 bytes; the swizzle keeps banks apart
        ptx::store_matrix(box + row * 128 + ((column ^ (row % 8)) * 16), r[0], r[1], r[2], r[3]);
      }
    }
    ptx::fence_shared();
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kStoreBuffers; ++i) {
      const int chunk = kPart * kStoreBuffers + i;
      if (chunk >= kTileN / kBox) continue;
      const int x = at.x + chunk * kBox;
      const std::uint32_t box = boxes + i * kStoreBytes;
      if (!bulk_storable(p_, x)) {
        store_plain(p_, box, x, y, at.z);
      } else if (lane == 0) {
        ptx::store_3d(&p_.c, x, y, at.z, box);
      }
    }
    if (lane == 0) {
      ptx::commit_stores();
      if (kPart == 1)
        ptx::arrive(s_.slot_empty + 8 * (slot_.at == 0 ? kTileSlots - 1 : slot_.at - 1));
    }
  }

  const Shared& s_;
  const Params& p_;
  int index_;
  Ring<kNumStages> ring_;
  Ring<kTileSlots> slot_;
  std::uint32_t rounded_[kNumSums / 2];
  bool pending_ = false;
};

}  // namespace

extern "C" __global__ void __cluster_dims__(kClusterM, 1, 1) __launch_bounds__(kNumThreads, 1)
    weft_sm90_ag_mm(const __grid_constant__ Params p) {
  extern __shared__ unsigned char memory[];
  const Shared s = plan_shared(memory);
  const int warpgroup = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    init_barriers(s);
    fill_visits(s, p.grid);
    ptx::prefetch_map(&p.b);
    ptx::prefetch_map(&p.c);
  }
  if constexpr (kClusterM > 1) {
    ptx::cluster_sync();
  } else {
    __syncthreads();
  }
  if (warpgroup == 0) {
    ptx::release_registers<kProducerRegisters>();
    if (threadIdx.x == 0) produce(s, p);
    if (threadIdx.x == 32) schedule_tiles(s, p);
  } else {
    ptx::claim_registers<kConsumerRegisters>();
    Consumer(s, p, warpgroup - 1).run();
  }
  // NOTE: a peer may still arrive at barriers here, so no work-group leaves the cluster early.
  if constexpr (kClusterM > 1) ptx::cluster_sync();
}

}  // namespace weft::cuda
