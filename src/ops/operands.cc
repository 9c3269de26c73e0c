// SPDX-License-Identifier: Apache-2.0
// One buffer a rank, set after set:  | A B bias C | A B bias C | ...
#include "ops/operands.hpp"

#include <algorithm>
#include <cstring>

#include "core/message.hpp"
#include "kernels/cpu/convert.hpp"

namespace weft::ops {
namespace {

constexpr std::int64_t kLine = 128;

std::int64_t round_up(std::int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

/// The i-th of a sequence of well-mixed words (splitmix64).
std::uint64_t mix(std::uint64_t i) {
  i += 0x9E3779B97F4A7C15U;
  i = (i ^ (i >> 30)) * 0xBF58476D1CE4E5B9U;
  i = (i ^ (i >> 27)) * 0x94D049BB133111EBU;
  return i ^ (i >> 31);
}

/// 24 random bits as a value in [-1, 1).
float unit(std::uint64_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits & 0xFFFFFFU) - (1 << 23)) / (1 << 23);
}

}  // namespace

void fill_random(DType dtype, std::span<std::byte> bytes, std::uint64_t seed) {
  if (dtype != DType::kF32 && dtype != DType::kBf16) {
    throw unsupported("random operands of type {} are not made on a CPU; use f32 or bf16",
                      to_string(dtype));
  }
  const std::uint64_t base = mix(seed);
  const std::size_t count = bytes.size() / static_cast<std::size_t>(element_bytes(dtype));
  auto* const f32 = reinterpret_cast<float*>(bytes.data());
  auto* const bf16 = reinterpret_cast<std::uint16_t*>(bytes.data());
  for (std::size_t i = 0; i < count; ++i) {
    const float value = unit(mix(base + i) >> 20);
    if (dtype == DType::kF32) {
      f32[i] = value;
    } else {
      bf16[i] = cpu::f32_to_bf16(value);
    }
  }
}

std::int64_t num_operand_sets(std::int64_t set_bytes, std::int64_t cache_bytes,
                              std::int64_t budget_bytes) {
  constexpr std::int64_t kMaxSets = 1 << 16;
  const std::int64_t wanted = (2 * cache_bytes + set_bytes - 1) / set_bytes;
  const std::int64_t affordable = budget_bytes / set_bytes;
  return std::max<std::int64_t>(
      1, std::min({std::max<std::int64_t>(2, wanted), affordable, kMaxSets}));
}

Operands::Sizes Operands::sizes(const Problem& p) {
  const std::int64_t bytes = element_bytes(p.dtype);
  return {.a = round_up(p.m_local() * p.k_local() * bytes),
          .b = round_up(p.k * p.n * bytes),
          .bias = p.has_bias ? round_up(p.n * bytes) : 0,
          .c = round_up(p.m * p.n * bytes)};
}

std::int64_t Operands::set_bytes(const Problem& p) { return p.world_size * sizes(p).total(); }

Operands::Operands(const Problem& problem, std::int64_t sets)
    : problem_(problem),
      sets_(sets),
      sizes_(sizes(problem)),
      ranks_(static_cast<std::size_t>(problem.world_size)) {}

void Operands::allocate(std::int32_t rank) {
  Buffer& buffer = ranks_[static_cast<std::size_t>(rank)];
  buffer = Buffer(sets_ * sizes_.total(), "random operands");
  for (std::int64_t set = 0; set < sets_; ++set) {
    std::byte* const begin = buffer.data() + set * sizes_.total();
    fill_random(problem_.dtype, {begin, static_cast<std::size_t>(sizes_.total() - sizes_.c)},
                static_cast<std::uint64_t>(rank + set * problem_.world_size));
  }
}

RunArgs Operands::args(std::int32_t rank, std::int64_t call) const {
  std::byte* const begin =
      ranks_[static_cast<std::size_t>(rank)].data() + call % sets_ * sizes_.total();
  RunArgs args;
  args.a_shard = begin;
  args.lda = problem_.min_lda();
  args.b = begin + sizes_.a;
  args.ldb = problem_.min_ldb();
  if (problem_.has_bias) args.bias = begin + sizes_.a + sizes_.b;
  args.c = begin + sizes_.a + sizes_.b + sizes_.bias;
  args.ldc = problem_.n;
  return args;
}

void Operands::poison(std::int32_t rank, std::int64_t call) {
  // All ones is a NaN in f32 and in bf16.
  std::memset(args(rank, call).c, 0xFF, static_cast<std::size_t>(sizes_.c));
}

tune::CheckedCall Operands::checked(std::int32_t rank, std::int64_t call) const {
  const RunArgs own = args(rank, call);
  tune::CheckedCall checked;
  checked.problem = problem_;
  for (std::int32_t peer = 0; peer < problem_.world_size; ++peer) {
    checked.a_shards.push_back(args(peer, call).a_shard);
  }
  checked.b = own.b;
  checked.bias = own.bias;
  checked.c = own.c;
  return checked;
}

}  // namespace weft::ops
