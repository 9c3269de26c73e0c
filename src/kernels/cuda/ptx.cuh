// SPDX-License-Identifier: Apache-2.0
// Thin wrappers over PTX: one line of purpose and the section of the PTX ISA for each.
#pragma once

#include <cstdint>

namespace weft::cuda::ptx {

/// Address in the shared window.
__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// Keeps the compiler from moving memory accesses across.
__device__ inline void hold() { asm volatile("" ::: "memory"); }

/// Rank of this work-group in its cluster.
__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}

/// Every thread of the cluster meets; warps need not be converged.
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

/// Registers per thread of this warpgroup, down or up.
template <int kCount>
__device__ inline void release_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}
template <int kCount>
__device__ inline void claim_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}

/// Sets up a barrier for `count` arrivals a phase.
__device__ inline void mbarrier_init(std::uint32_t barrier, std::uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

/// Makes initialised barriers visible to the cluster and to bulk copies.
__device__ inline void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Arrives, and adds `bytes` to what the phase waits for.
__device__ inline void arrive_expect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// Arrives at the own work-group's barrier.
__device__ inline void arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// Arrives at the same barrier in work-group `rank` of the cluster.
/// NOTE: the form with `.release.cluster` compiles to a fence of the whole GPU: about 1,000 cycles.
__device__ inline void arrive_remote(std::uint32_t barrier, std::uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

/// Waits for the phase of parity `parity`.
__device__ inline void wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nretry:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra leave;\nbra retry;\n"
      "leave:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

/// Fetches a tensor map into the descriptor cache.
__device__ inline void prefetch_map(const void* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/// Copies a box from a 2-D tensor to shared memory.
__device__ inline void load_2d(std::uint32_t to, const void* map, int x, int y,
                               std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}

/// Copies a box from a 3-D tensor to shared memory.
__device__ inline void load_3d(std::uint32_t to, const void* map, int x, int y, int z,
                               std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
      : "memory");
}

/// The same to every work-group of the cluster whose bit is set in `mask`.
__device__ inline void load_3d_multicast(std::uint32_t to, const void* map, int x, int y, int z,
                                         std::uint32_t barrier, std::uint16_t mask) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(mask)
      : "memory");
}

/// Copies a box from shared memory to a 3-D tensor.
__device__ inline void store_3d(const void* map, int x, int y, int z, std::uint32_t from) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map),
      "r"(x), "r"(y), "r"(z), "r"(from)
      : "memory");
}

/// Closes the group of stores issued so far.
__device__ inline void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

/// Waits until at most `kLeft` groups of stores still read shared memory.
template <int kLeft>
__device__ inline void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kLeft) : "memory");
}

/// Orders ordinary writes to shared memory before bulk copies that read it.
__device__ inline void fence_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Reads a 16-bit element (ld.shared).
__device__ inline std::uint16_t load_shared(std::uint32_t address) {
  std::uint16_t v;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(address) : "memory");
  return v;
}

/// Stores four 8x8 matrices of 16-bit elements.
__device__ inline void store_matrix(std::uint32_t address, std::uint32_t a, std::uint32_t b,
                                    std::uint32_t c, std::uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

/// Two f32 to two 16-bit values, `lo` in the lower half.
template <bool kF16>
__device__ inline std::uint32_t pack(float lo, float hi) {
  std::uint32_t r;
  if constexpr (kF16) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
  }
  return r;
}

/// One 16-bit value to f32.
template <bool kF16>
__device__ inline float widen(std::uint16_t v) {
  if constexpr (kF16) {
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v));
    return r;
  }
  return __uint_as_float(static_cast<std::uint32_t>(v) << 16);
}

}  // namespace weft::cuda::ptx
