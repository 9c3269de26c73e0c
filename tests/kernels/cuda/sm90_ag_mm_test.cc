// SPDX-License-Identifier: Apache-2.0
// The Hopper kernel against a plain product. Inputs are small integers, so that every sum is exact
// in the data type and results must be equal. Skipped, visibly, without an sm_90 GPU or NVRTC.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "jit/compiler.hpp"
#include "kernels/cuda/sm90_kernel.hpp"
#include "support/temporary_folder.hpp"
#include "weft/arch.hpp"

namespace weft::cuda {
namespace {

using Words = std::vector<std::uint16_t>;

// Small integers are exact in both types: bf16 is the upper half of an f32, f16 has 11 digits.
std::uint16_t to_word(float v, DType dtype) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  if (dtype == DType::kBf16) return static_cast<std::uint16_t>(bits >> 16);
  if (v == 0) return static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const std::uint32_t exponent = (bits >> 23 & 0xFF) - 127 + 15;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3FF));
}

class DeviceWords {
 public:
  explicit DeviceWords(const Words& words) : size_(words.size()) {
    WEFT_CUDA_CHECK(allocate(&data_, size_ * 2));
    WEFT_CUDA_CHECK(copy_to_device(data_, words.data(), size_ * 2));
  }
  ~DeviceWords() { driver().free(data_); }
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;
  [[nodiscard]] void* get() const { return reinterpret_cast<void*>(data_); }
  [[nodiscard]] Words read() const {
    Words words(size_);
    WEFT_CUDA_CHECK(copy_to_host(words.data(), data_, size_ * 2));
    return words;
  }

 private:
  std::size_t size_;
  DevicePointer data_ = 0;
};

std::int64_t round_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

/// A row-major matrix with a padded leading dimension, and the same values as f32.
struct Matrix {
  std::int64_t rows, cols, ld;
  std::vector<float> values;
  Matrix(std::int64_t r, std::int64_t c, std::int64_t padding)
      : rows(r), cols(c), ld(round_up(c, 8) + padding), values(static_cast<std::size_t>(r * ld)) {}
  [[nodiscard]] float& at(std::int64_t r, std::int64_t c) {
    return values[static_cast<std::size_t>(r * ld + c)];
  }
  [[nodiscard]] Words words(DType dtype) const {
    Words out;
    for (const float v : values) out.push_back(to_word(v, dtype));
    return out;
  }
};

// Values -1, 0, 1; the padding is NaN, which nobody may read.
Matrix random_matrix(std::int64_t rows, std::int64_t cols, std::mt19937& random) {
  Matrix m(rows, cols, 8);
  for (float& v : m.values) v = std::nanf("");
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < cols; ++c) m.at(r, c) = static_cast<float>(random() % 3) - 1;
  }
  return m;
}

struct Tiles {
  std::int32_t tile_n, num_stages, cluster_m, group_m;
};

class Sm90 : public testing::Test {
 protected:
  void SetUp() override {
    if (detect_gpu().key != "sm_90") GTEST_SKIP() << "no sm_90 GPU on this machine";
    const jit::NvrtcState nvrtc = jit::nvrtc_state();
    if (!nvrtc.available) GTEST_SKIP() << nvrtc.reason;
    use_device(0);
  }

  // Computes `p` on every rank in turn and compares all of C, its padding included.
  void expect_exact(Problem p, const Tiles& tiles, bool bias = false, std::int64_t c_padding = 8) {
    p.has_bias = bias;
    SCOPED_TRACE(fmt::format("{} tile_n {} stages {} cluster {} group {} bias {}", to_string(p),
                             tiles.tile_n, tiles.num_stages, tiles.cluster_m, tiles.group_m, bias));
    std::mt19937 random(static_cast<unsigned>(p.m * 31 + p.n * 7 + p.k));
    const bool a_t = a_transposed(p.layout), b_t = b_transposed(p.layout);
    std::vector<Matrix> shards;
    for (std::int32_t r = 0; r < p.world_size; ++r) {
      shards.push_back(a_t ? random_matrix(p.k_local(), p.m_local(), random)
                           : random_matrix(p.m_local(), p.k_local(), random));
    }
    Matrix b = b_t ? random_matrix(p.n, p.k, random) : random_matrix(p.k, p.n, random);
    Matrix bias_row = random_matrix(1, p.n, random);
    Matrix expected(p.m, p.n, c_padding);
    for (float& v : expected.values) v = std::nanf("");
    const bool shard_m = p.shard_dim == ShardDim::kM;
    for (std::int64_t m = 0; m < p.m; ++m) {
      for (std::int64_t n = 0; n < p.n; ++n) expected.at(m, n) = bias ? bias_row.at(0, n) : 0;
      for (std::int64_t k = 0; k < p.k; ++k) {
        Matrix& shard =
            shards[static_cast<std::size_t>(shard_m ? m / p.m_local() : k / p.k_local())];
        const std::int64_t row = shard_m ? m % p.m_local() : m, col = shard_m ? k : k % p.k_local();
        const float a = a_t ? shard.at(col, row) : shard.at(row, col);
        if (a == 0) continue;
        for (std::int64_t n = 0; n < p.n; ++n) {
          expected.at(m, n) += a * (b_t ? b.at(n, k) : b.at(k, n));
        }
      }
    }
    const Words want = expected.words(p.dtype);

    std::vector<std::unique_ptr<DeviceWords>> device;
    const auto upload = [&](const Matrix& m) {
      device.push_back(std::make_unique<DeviceWords>(m.words(p.dtype)));
      return device.back()->get();
    };
    Operands operands;
    for (const Matrix& shard : shards) operands.shards.push_back(upload(shard));
    operands.lda = shards[0].ld;
    operands.b = upload(b);
    operands.ldb = b.ld;
    operands.bias = bias ? upload(bias_row) : nullptr;
    operands.ldc = expected.ld;
    const Traits traits = traits_for(p, tiles.tile_n, tiles.num_stages, tiles.cluster_m);
    const Sm90Kernel kernel(traits, compiler_.compile(traits).object.cubin);
    for (std::int32_t rank = 0; rank < p.world_size; ++rank) {
      const DeviceWords c(Words(want.size(), to_word(std::nanf(""), DType::kBf16)));
      operands.c = c.get();
      const Params params = kernel.params(p, kernel_grid(p, traits, tiles.group_m, rank), operands);
      kernel.launch(params, num_sms(0), nullptr);
      WEFT_CUDA_CHECK(context_synchronize());
      const Words got = c.read();
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(want.size()); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool padding = i % expected.ld >= p.n;
        const bool same = padding ? got[at] == to_word(std::nanf(""), DType::kBf16)
                                  : (got[at] == want[at] || ((got[at] | want[at]) & 0x7FFF) == 0);
        if (!same && wrong++ == 0) {
          ADD_FAILURE() << "rank " << rank << ": C(" << i / expected.ld << ", " << i % expected.ld
                        << ") is " << got[at] << ", wanted " << want[at];
        }
      }
      EXPECT_EQ(wrong, 0);
      if (wrong != 0) return;
    }
  }

  static Problem problem(std::int64_t m, std::int64_t n, std::int64_t k, Layout layout,
                         ShardDim shard_dim, std::int32_t world_size, DType dtype) {
    Problem p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.layout = layout;
    p.shard_dim = shard_dim;
    p.world_size = world_size;
    p.dtype = dtype;
    return p;
  }

  test::TemporaryFolder folder_;
  jit::Compiler compiler_{folder_.path()};
};

constexpr Layout kLayouts[] = {Layout::kNN, Layout::kNT, Layout::kTN, Layout::kTT};

TEST_F(Sm90, EveryLayoutAndTypeIsExactOnWholeTiles) {
  for (const Layout layout : kLayouts) {
    for (const DType dtype : {DType::kBf16, DType::kF16}) {
      expect_exact(problem(512, 512, 256, layout, ShardDim::kK, 1, dtype), {256, 4, 2, 4});
    }
  }
}

TEST_F(Sm90, RaggedAndTinyExtentsAreExact) {
  for (const Layout layout : kLayouts) {
    for (const auto& [m, n, k] :
         {std::array{300, 520, 200}, std::array{129, 257, 65}, std::array{1, 8, 8},
          std::array{1, 1, 1}, std::array{17, 300, 24}, std::array{640, 72, 1000}}) {
      expect_exact(problem(m, n, k, layout, ShardDim::kK, 1, DType::kBf16), {256, 4, 2, 4});
    }
  }
}

TEST_F(Sm90, ShardsOfKAreReadInPlaceFromEveryRank) {
  for (const Layout layout : kLayouts) {
    for (const std::int32_t world_size : {2, 4, 8}) {
      expect_exact(
          problem(300, 264, world_size * 104, layout, ShardDim::kK, world_size, DType::kBf16),
          {256, 4, 2, 4});
    }
  }
}

TEST_F(Sm90, ShardsOfMAreReadInPlaceFromEveryRank) {
  for (const Layout layout : kLayouts) {
    for (const std::int32_t world_size : {2, 4, 8}) {
      expect_exact(
          problem(world_size * 328, 264, 136, layout, ShardDim::kM, world_size, DType::kBf16),
          {256, 4, 2, 3});
    }
  }
}

TEST_F(Sm90, EveryTileShapeAndBiasIsExact) {
  for (const Tiles& tiles : {Tiles{256, 4, 2, 1}, Tiles{256, 3, 1, 8}, Tiles{128, 6, 2, 4},
                             Tiles{128, 4, 1, 2}, Tiles{256, 2, 2, 16}}) {
    for (const bool bias : {false, true}) {
      expect_exact(problem(700, 600, 320, Layout::kNN, ShardDim::kK, 2, DType::kBf16), tiles, bias);
      expect_exact(problem(700, 601, 320, Layout::kTT, ShardDim::kK, 2, DType::kF16), tiles, bias);
    }
  }
}

TEST_F(Sm90, OutputOffSixteenBytesIsExact) {
  for (const Layout layout : kLayouts) {
    expect_exact(problem(300, 520, 208, layout, ShardDim::kK, 2, DType::kBf16), {256, 4, 2, 4},
                 true, 3);
  }
}

TEST_F(Sm90, MoreTilesThanWorkGroupsAreExact) {
  expect_exact(problem(4100, 4104, 72, Layout::kNN, ShardDim::kK, 1, DType::kBf16), {256, 4, 2, 4});
}

TEST(Sm90Refusal, NamesOperandAndRule) {
  Problem p;
  p.m = 256;
  p.n = 256;
  p.k = 256;
  p.world_size = 1;
  p.dtype = DType::kBf16;
  Operands o{.shards = {reinterpret_cast<void*>(0x1000)},
             .lda = 256,
             .b = reinterpret_cast<void*>(0x2000),
             .ldb = 256,
             .c = reinterpret_cast<void*>(0x3000),
             .ldc = 256};
  EXPECT_EQ(refusal(p, o), "");
  o.ldb = 257;
  EXPECT_EQ(refusal(p, o), "b_unaligned: base 0x2000 or ldb=257 is off 16 bytes");
  o.ldb = 256;
  o.lda = 260;
  EXPECT_EQ(refusal(p, o), "a_unaligned: lda=260 is off 8 elements");
  o.lda = 256;
  p.has_bias = true;
  EXPECT_EQ(refusal(p, o), "has_bias=true but bias is 0x0");
  p.has_bias = false;
  p.dtype = DType::kF32;
  EXPECT_EQ(refusal(p, o), "dtype f32 has no Hopper kernel; bf16 and f16 have");
}

}  // namespace
}  // namespace weft::cuda
