// SPDX-License-Identifier: Apache-2.0
#include "ops/harness.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "kernels/cpu/convert.hpp"

namespace weft::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A small integer that depends on every argument.
float value(std::uint64_t seed, std::uint64_t which, std::int64_t row, std::int64_t col) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15U + which * 0xBF58476D1CE4E5B9U +
                    static_cast<std::uint64_t>(row) * 0x94D049BB133111EBU +
                    static_cast<std::uint64_t>(col) * 0xD6E8FEB86659FD93U;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9U;
  x ^= x >> 32;
  return static_cast<float>(static_cast<std::int64_t>(x % 7) - 3);
}

enum Which : std::uint64_t { kA = 1, kB = 2, kBias = 3 };

float rounded(DType dtype, float exact) {
  return dtype == DType::kBf16 ? cpu::bf16_to_f32(cpu::f32_to_bf16(exact)) : exact;
}

}  // namespace

Array::Array(DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t ld)
    : dtype_(dtype),
      rows_(rows),
      cols_(cols),
      ld_(ld),
      bytes_(static_cast<std::size_t>(rows * ld + 1)) {
  poison();
}

void Array::put(std::int64_t index, float v) {
  if (dtype_ == DType::kF32) {
    bytes_[static_cast<std::size_t>(index)] = v;
  } else {
    const std::uint16_t bits = cpu::f32_to_bf16(v);
    std::memcpy(reinterpret_cast<std::byte*>(bytes_.data()) + index * 2, &bits, 2);
  }
}

float Array::at(std::int64_t index) const {
  if (dtype_ == DType::kF32) return bytes_[static_cast<std::size_t>(index)];
  std::uint16_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const std::byte*>(bytes_.data()) + index * 2, 2);
  return cpu::bf16_to_f32(bits);
}

void Array::set(std::int64_t row, std::int64_t col, float v) { put(row * ld_ + col, v); }
float Array::get(std::int64_t row, std::int64_t col) const { return at(row * ld_ + col); }
void Array::poison() {
  for (std::int64_t i = 0; i < rows_ * ld_; ++i) put(i, kNan);
}
bool Array::gaps_untouched() const {
  for (std::int64_t i = 0; i < rows_; ++i) {
    for (std::int64_t j = cols_; j < ld_; ++j) {
      if (!std::isnan(at(i * ld_ + j))) return false;
    }
  }
  return true;
}

std::string describe(const Case& c) {
  return fmt::format(
      "{} bias={} gathered={} threads={} padding={} {}", to_string(c.problem), c.problem.has_bias,
      c.problem.return_gathered_a, c.threads, c.padding,
      c.config ? to_string(*c.config) : fmt::format("unfused {}", to_string(c.form)));
}

Operands::Operands(const Case& c, std::int32_t rank, std::uint64_t seed)
    : case_(c),
      rank_(rank),
      a_(c.problem.dtype,
         a_transposed(c.problem.layout) ? c.problem.k_local() : c.problem.m_local(),
         c.problem.min_lda(), c.problem.min_lda() + c.padding),
      b_(c.problem.dtype, b_transposed(c.problem.layout) ? c.problem.n : c.problem.k,
         c.problem.min_ldb(), c.problem.min_ldb() + c.padding),
      c_(c.problem.dtype, c.problem.m, c.problem.n, c.problem.n + c.padding),
      bias_(c.problem.dtype, 1, c.problem.n, c.problem.n),
      gathered_(c.problem.dtype, a_transposed(c.problem.layout) ? c.problem.k : c.problem.m,
                c.problem.min_ldg(), c.problem.min_ldg() + c.padding) {
  fill(seed);
}

void Operands::fill(std::uint64_t seed) {
  seed_ = seed;
  const Problem& p = case_.problem;
  const bool a_t = a_transposed(p.layout), b_t = b_transposed(p.layout);
  const std::int64_t m0 = p.shard_dim == ShardDim::kM ? rank_ * p.m_local() : 0;
  const std::int64_t k0 = p.shard_dim == ShardDim::kK ? rank_ * p.k_local() : 0;
  for (std::int64_t m = 0; m < p.m_local(); ++m) {
    for (std::int64_t k = 0; k < p.k_local(); ++k) {
      a_.set(a_t ? k : m, a_t ? m : k, value(seed, kA, m0 + m, k0 + k));
    }
  }
  // Each rank has its own B and bias, so that a mix-up of ranks shows.
  const std::uint64_t own = seed + 1000 * static_cast<std::uint64_t>(rank_ + 1);
  for (std::int64_t k = 0; k < p.k; ++k) {
    for (std::int64_t n = 0; n < p.n; ++n) {
      b_.set(b_t ? n : k, b_t ? k : n, value(own, kB, k, n));
    }
  }
  for (std::int64_t n = 0; n < p.n; ++n) bias_.set(0, n, value(own, kBias, 0, n));
  c_.poison();
  gathered_.poison();
}

RunArgs Operands::args() {
  RunArgs r;
  r.a_shard = a_.data();
  r.lda = a_.ld();
  r.b = b_.data();
  r.ldb = b_.ld();
  r.c = c_.data();
  r.ldc = c_.ld();
  if (case_.problem.has_bias) r.bias = bias_.data();
  if (case_.problem.return_gathered_a) {
    r.gathered_a = gathered_.data();
    r.ldg = gathered_.ld();
  }
  return r;
}

std::string Operands::check() const {
  const Problem& p = case_.problem;
  const bool a_t = a_transposed(p.layout), b_t = b_transposed(p.layout);
  std::vector<float> row(static_cast<std::size_t>(p.k));
  for (std::int64_t m = 0; m < p.m; ++m) {
    for (std::int64_t k = 0; k < p.k; ++k) {
      row[static_cast<std::size_t>(k)] = value(seed_, kA, m, k);
      const float got = p.return_gathered_a ? gathered_.get(a_t ? k : m, a_t ? m : k)
                                            : row[static_cast<std::size_t>(k)];
      if (got != row[static_cast<std::size_t>(k)]) {
        return fmt::format("{}: rank {} gathered_a({},{}) is {}, expected {}", describe(case_),
                           rank_, m, k, got, row[static_cast<std::size_t>(k)]);
      }
    }
    for (std::int64_t n = 0; n < p.n; ++n) {
      float sum = p.has_bias ? bias_.get(0, n) : 0.0F;
      for (std::int64_t k = 0; k < p.k; ++k) {
        sum += row[static_cast<std::size_t>(k)] * b_.get(b_t ? n : k, b_t ? k : n);
      }
      const float expected = rounded(p.dtype, sum);
      if (c_.get(m, n) != expected) {
        return fmt::format("{}: rank {} C({},{}) is {}, expected {}", describe(case_), rank_, m, n,
                           c_.get(m, n), expected);
      }
    }
  }
  if (!c_.gaps_untouched()) return describe(case_) + ": wrote between the rows of C";
  if (p.return_gathered_a && !gathered_.gaps_untouched()) {
    return describe(case_) + ": wrote between the rows of the gathered A";
  }
  return "";
}

PlanOptions options_of(const Case& c) {
  PlanOptions options;
  options.database = ConfigDatabase::open({}, false);
  options.unfused_form = c.form;
  if (c.config) {
    options.select.config = c.config;
  } else {
    options.select.variant = Variant::kUnfused;
  }
  return options;
}

std::string run_case(const Case& c, int runs) {
  World world = World::local(c.problem.world_size, c.threads);
  std::mutex mutex;
  std::string first;
  world.run([&](Rank& rank) {
    Plan plan(rank, c.problem, options_of(c));
    Operands operands(c, rank.rank(), 0);
    for (int run = 0; run < runs; ++run) {
      operands.fill(static_cast<std::uint64_t>(run) + 7);
      plan.run(operands.args());
      const std::string wrong = operands.check();
      const std::lock_guard lock(mutex);
      if (first.empty()) first = wrong;
    }
  });
  return first;
}

}  // namespace weft::testing
