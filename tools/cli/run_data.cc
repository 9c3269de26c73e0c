// SPDX-License-Identifier: Apache-2.0
#include "run_data.hpp"

#include <cstring>
#include <span>

#include "core/message.hpp"
#include "kernels/cpu/convert.hpp"
#include "npy.hpp"
#include "ops/machine.hpp"
#include "ops/operands.hpp"

namespace weft::cli {
namespace {

std::span<std::byte> bytes_of(const ops::Buffer& buffer) {
  return {buffer.data(), static_cast<std::size_t>(buffer.size())};
}

/// f32 into elements of `dtype`.
void store(DType dtype, std::span<const float> values, std::byte* out) {
  if (dtype == DType::kF32) {
    std::memcpy(out, values.data(), values.size_bytes());
    return;
  }
  auto* const bf16 = reinterpret_cast<std::uint16_t*>(out);
  for (std::size_t i = 0; i < values.size(); ++i) bf16[i] = cpu::f32_to_bf16(values[i]);
}

/// Refuses what would make the machine swap. Files are held once more while they are cut up.
void check_memory(const Problem& p, std::int32_t threads_per_rank, const RunFiles& files) {
  constexpr double kGiB = 1 << 30;
  const auto element = static_cast<double>(element_bytes(p.dtype));
  const double a = static_cast<double>(p.m) * static_cast<double>(p.k);
  const double b = static_cast<double>(p.k) * static_cast<double>(p.n);
  const double c = static_cast<double>(p.m) * static_cast<double>(p.n);
  const double file_elements = (files.a.empty() ? 0 : a) + (files.b.empty() ? 0 : b);
  const double needed =
      (a + p.world_size * (b + c)) * element + file_elements * sizeof(float) +
      p.world_size * static_cast<double>(workspace_bytes(p, nullptr, threads_per_rank));
  const auto available = static_cast<double>(ops::available_memory_bytes());
  if (needed > available) {
    throw device_error(
        "{} needs about {:.1f} GiB, {:.1f} GiB are available; use smaller sizes or "
        "fewer ranks",
        to_string(p), needed / kGiB, available / kGiB);
  }
}

}  // namespace

RunData::RunData(const Problem& problem, std::int32_t threads_per_rank, const RunFiles& files,
                 std::uint64_t seed)
    : problem_(problem) {
  if (problem.dtype != DType::kF32 && problem.dtype != DType::kBf16) {
    throw unsupported("dtype {} does not run on the CPU; use f32 or bf16",
                      to_string(problem.dtype));
  }
  check_memory(problem, threads_per_rank, files);
  const Problem& p = problem_;
  const std::int64_t element = element_bytes(p.dtype);
  // Each operand has seeds of its own, a rank apart.
  const std::uint64_t b_seed = seed + static_cast<std::uint64_t>(p.world_size);
  const std::uint64_t bias_seed = b_seed + static_cast<std::uint64_t>(p.world_size);
  for (std::int32_t rank = 0; rank < p.world_size; ++rank) {
    a_.emplace_back(p.m_local() * p.k_local() * element, "A");
    c_.emplace_back(p.m * p.n * element, "C");
    if (rank > 0 && !files.b.empty()) continue;
    b_.emplace_back(p.k * p.n * element, "B");
    ops::fill_random(p.dtype, bytes_of(b_.back()), b_seed + static_cast<std::uint64_t>(rank));
  }
  fill_a(files.a, seed);
  if (!files.b.empty()) {
    const bool t = b_transposed(p.layout);
    const std::int64_t shape[] = {t ? p.n : p.k, t ? p.k : p.n};
    store(p.dtype, read_npy(files.b, shape, "--b"), b_.front().data());
  }
  if (!p.has_bias) return;
  bias_ = ops::Buffer(p.n * element, "bias");
  if (files.bias.empty()) {
    ops::fill_random(p.dtype, bytes_of(bias_), bias_seed);
  } else {
    const std::int64_t shape[] = {p.n};
    store(p.dtype, read_npy(files.bias, shape, "--bias"), bias_.data());
  }
}

void RunData::fill_a(const std::string& path, std::uint64_t seed) {
  const Problem& p = problem_;
  if (path.empty()) {
    for (std::size_t rank = 0; rank < a_.size(); ++rank) {
      ops::fill_random(p.dtype, bytes_of(a_[rank]), seed + rank);
    }
    return;
  }
  const bool t = a_transposed(p.layout);
  const std::int64_t shape[] = {t ? p.k : p.m, t ? p.m : p.k};
  const std::vector<float> whole = read_npy(path, shape, "--a");
  // A shard is a block of stored rows or of stored columns.
  const std::int64_t rows = t ? p.k_local() : p.m_local();
  const std::int64_t cols = t ? p.m_local() : p.k_local();
  const bool by_rows = rows < shape[0];
  for (std::int32_t rank = 0; rank < p.world_size; ++rank) {
    const std::int64_t begin = by_rows ? rank * rows * shape[1] : rank * cols;
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* row = whole.data() + begin + i * shape[1];
      store(p.dtype, {row, static_cast<std::size_t>(cols)},
            a_[static_cast<std::size_t>(rank)].data() + i * cols * element_bytes(p.dtype));
    }
  }
}

RunArgs RunData::args(std::int32_t rank) const {
  const auto r = static_cast<std::size_t>(rank);
  RunArgs args;
  args.a_shard = a_[r].data();
  args.b = b_[b_.size() == 1 ? 0 : r].data();
  args.c = c_[r].data();
  if (problem_.has_bias) args.bias = bias_.data();
  return args;
}

tune::CheckedCall RunData::checked(std::int32_t rank) const {
  const RunArgs own = args(rank);
  tune::CheckedCall call;
  call.problem = problem_;
  for (const ops::Buffer& shard : a_) call.a_shards.push_back(shard.data());
  call.b = own.b;
  call.bias = own.bias;
  call.c = own.c;
  return call;
}

void RunData::poison() {
  // All ones is a NaN in f32 and in bf16.
  for (const ops::Buffer& c : c_) std::memset(c.data(), 0xFF, static_cast<std::size_t>(c.size()));
}

void RunData::write_c(const std::string& path) const {
  const std::int64_t shape[] = {problem_.m, problem_.n};
  const auto count = static_cast<std::size_t>(problem_.m * problem_.n);
  if (problem_.dtype == DType::kF32) {
    write_npy(path, shape, {c_.front().as<float>(), count});
    return;
  }
  std::vector<float> wide(count);
  cpu::widen(c_.front().as<std::uint16_t>(), problem_.n, wide.data(), problem_.n, problem_.m,
             problem_.n);
  write_npy(path, shape, wide);
}

}  // namespace weft::cli
