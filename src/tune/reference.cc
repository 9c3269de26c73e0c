// SPDX-License-Identifier: Apache-2.0
// B is walked once, in blocks that are widened to f64 and used for all rows.
#include "tune/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "core/message.hpp"
#include "kernels/cpu/convert.hpp"

namespace weft::tune {
namespace {

constexpr std::int64_t kBlockN = 512;
constexpr std::int64_t kBlockK = 64;

/// Row-major elements of either type.
struct Matrix {
  const void* data;
  std::int64_t ld;
  bool bf16;

  [[nodiscard]] double at(std::int64_t row, std::int64_t col) const {
    const std::int64_t i = row * ld + col;
    return bf16 ? cpu::bf16_to_f32(static_cast<const std::uint16_t*>(data)[i])
                : static_cast<const float*>(data)[i];
  }
};

std::int64_t or_packed(std::int64_t ld, std::int64_t packed) { return ld == 0 ? packed : ld; }

/// One row of the gathered A.
void gather_row(const CheckedCall& call, std::int64_t row, double* out) {
  const Problem& p = call.problem;
  const bool by_m = p.shard_dim == ShardDim::kM;
  for (std::int64_t k = 0; k < p.k; ++k) {
    const std::int64_t rank = by_m ? row / p.m_local() : k / p.k_local();
    const Matrix shard{call.a_shards[static_cast<std::size_t>(rank)],
                       or_packed(call.lda, p.min_lda()), p.dtype == DType::kBf16};
    const std::int64_t i = by_m ? row - rank * p.m_local() : row;
    const std::int64_t j = by_m ? k : k - rank * p.k_local();
    out[k] = a_transposed(p.layout) ? shard.at(j, i) : shard.at(i, j);
  }
}

/// The chosen rows of the gathered A in f64, with their Euclidean lengths.
class GatheredRows {
 public:
  GatheredRows(const CheckedCall& call, std::span<const std::int64_t> rows)
      : k_(call.problem.k), values_(rows.size() * static_cast<std::size_t>(k_)) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double* row = values_.data() + r * static_cast<std::size_t>(k_);
      gather_row(call, rows[r], row);
      double squares = 0;
      for (std::int64_t k = 0; k < k_; ++k) squares += row[k] * row[k];
      lengths_.push_back(std::sqrt(squares));
    }
  }
  [[nodiscard]] const double* row(std::size_t r) const {
    return values_.data() + r * static_cast<std::size_t>(k_);
  }
  [[nodiscard]] double length(std::size_t r) const { return lengths_[r]; }

 private:
  std::int64_t k_;
  std::vector<double> values_;
  std::vector<double> lengths_;
};

/// Products of the chosen rows with one block of columns of B.
class Columns {
 public:
  explicit Columns(std::size_t num_rows)
      : block_(kBlockK * kBlockN),
        sums_(num_rows * kBlockN),
        squares_(kBlockN),
        num_rows_(num_rows) {}

  void compute(const Problem& p, const GatheredRows& a, const Matrix& b, std::int64_t n0,
               std::int64_t width) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(squares_.begin(), squares_.end(), 0.0);
    for (std::int64_t k0 = 0; k0 < p.k; k0 += kBlockK) {
      const std::int64_t depth = std::min(kBlockK, p.k - k0);
      widen_block(b, b_transposed(p.layout), k0, depth, n0, width);
      for (std::size_t r = 0; r < num_rows_; ++r) {
        double* sum = sums_.data() + r * kBlockN;
        for (std::int64_t kk = 0; kk < depth; ++kk) {
          const double factor = a.row(r)[k0 + kk];
          const double* wide = block_.data() + kk * kBlockN;
          for (std::int64_t j = 0; j < width; ++j) sum[j] += factor * wide[j];
        }
      }
    }
  }
  [[nodiscard]] double sum(std::size_t r, std::int64_t j) const {
    return sums_[r * kBlockN + static_cast<std::size_t>(j)];
  }
  /// Euclidean length of column j of B.
  [[nodiscard]] double length(std::int64_t j) const {
    return std::sqrt(squares_[static_cast<std::size_t>(j)]);
  }

 private:
  void widen_block(const Matrix& b, bool transposed, std::int64_t k0, std::int64_t depth,
                   std::int64_t n0, std::int64_t width) {
    for (std::int64_t kk = 0; kk < depth; ++kk) {
      double* wide = block_.data() + kk * kBlockN;
      for (std::int64_t j = 0; j < width; ++j) {
        wide[j] = transposed ? b.at(n0 + j, k0 + kk) : b.at(k0 + kk, n0 + j);
        squares_[static_cast<std::size_t>(j)] += wide[j] * wide[j];
      }
    }
  }

  std::vector<double> block_;
  std::vector<double> sums_;
  std::vector<double> squares_;
  std::size_t num_rows_;
};

/// Largest |computed - exact| that rounding can cause.
double rounding_bound(const Problem& p, double lengths, double bias, double expected) {
  const double sums = static_cast<double>(p.k + 2) * std::ldexp(1.0, -24);
  const double sum_error = sums / (1 - std::min(0.5, sums)) * (lengths + std::abs(bias)) +
                           static_cast<double>(p.k) * std::numeric_limits<float>::min();
  if (p.dtype == DType::kF32) return sum_error;
  return sum_error + std::ldexp(1.0, -8) * (std::abs(expected) + sum_error);
}

/// The running comparison.
struct Verdict {
  RowCheck check;
  double max_error = 0, max_expected = 0, worst_excess = -1;

  void add(std::int64_t row, std::int64_t col, double value, double expected, double bound) {
    double error = std::abs(value - expected);
    const bool same_kind =
        std::isfinite(static_cast<float>(expected)) ? std::isfinite(value) : !std::isfinite(value);
    if (!same_kind) error = std::numeric_limits<double>::infinity();
    if (same_kind && !std::isfinite(value)) return;  // an overflow that the inputs demand
    max_error = std::max(max_error, error);
    max_expected = std::max(max_expected, std::abs(expected));
    const double excess = error / std::max(bound, std::numeric_limits<double>::min());
    if (excess > 1) check.within_bound = false;
    if (excess > worst_excess) {
      worst_excess = excess;
      check.worst_row = row;
      check.worst_col = col;
      check.worst_value = value;
      check.worst_expected = expected;
    }
  }

  RowCheck finish() {
    check.max_rel_err = max_error == 0 ? 0 : max_error / max_expected;
    return check;
  }
};

}  // namespace

std::vector<std::int64_t> sample_rows(const Problem& p, std::int64_t count, std::uint64_t seed) {
  std::set<std::int64_t> rows{0, p.m - 1};
  if (p.shard_dim == ShardDim::kM) {
    for (std::int64_t edge = p.m_local(); edge < p.m; edge += p.m_local()) {
      rows.insert(edge - 1);
      rows.insert(edge);
    }
  }
  const auto wanted = static_cast<std::size_t>(std::min(count, p.m));
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> any_row(0, p.m - 1);
  while (rows.size() < wanted) rows.insert(any_row(random));
  return {rows.begin(), rows.end()};
}

RowCheck check_rows(const CheckedCall& call, std::span<const std::int64_t> rows) {
  const Problem& p = call.problem;
  if (p.dtype != DType::kF32 && p.dtype != DType::kBf16) {
    throw unsupported("the reference product knows f32 and bf16, not {}", to_string(p.dtype));
  }
  const bool bf16 = p.dtype == DType::kBf16;
  const Matrix b{call.b, or_packed(call.ldb, p.min_ldb()), bf16};
  const Matrix c{call.c, or_packed(call.ldc, p.n), bf16};
  const Matrix bias{call.bias, p.n, bf16};
  const GatheredRows a(call, rows);
  Columns columns(rows.size());
  Verdict verdict;
  for (std::int64_t n0 = 0; n0 < p.n; n0 += kBlockN) {
    const std::int64_t width = std::min(kBlockN, p.n - n0);
    columns.compute(p, a, b, n0, width);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::int64_t j = 0; j < width; ++j) {
        const double add = call.bias == nullptr ? 0 : bias.at(0, n0 + j);
        const double expected = columns.sum(r, j) + add;
        const double lengths = a.length(r) * columns.length(j);
        verdict.add(rows[r], n0 + j, c.at(rows[r], n0 + j), expected,
                    rounding_bound(p, lengths, add, expected));
      }
    }
  }
  return verdict.finish();
}

}  // namespace weft::tune
