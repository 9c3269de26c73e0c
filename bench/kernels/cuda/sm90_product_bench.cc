// SPDX-License-Identifier: Apache-2.0
// The Hopper kernel with all of A at hand against the best algorithm of cuBLASLt's list: world_size
// 1, bf16. Samples of the two alternate; each follows an untimed run of the same kind, so that the
// card's power state matches. Writes a result file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/message.hpp"
#include "jit/compiler.hpp"
#include "kernels/cuda/sm90_kernel.hpp"
#include "lt_product.hpp"
#include "ops/results.hpp"
#include "tune/statistics.hpp"
#include "tune/trial.hpp"

namespace weft::bench {
namespace {

struct Shape {
  const char* name;
  std::int64_t m, n, k;
};
constexpr std::array kShapes{Shape{"g1", 16384, 16384, 131072},
                             Shape{"g2", 131072, 16384, 16384},
                             Shape{"g5", 8192, 8192, 262144},
                             Shape{"g6", 262144, 8192, 8192},
                             Shape{"g8", 262144, 28672, 8192},
                             Shape{"g9", 196608, 18432, 16384},
                             Shape{"g14", 147456, 28672, 4096},
                             Shape{"g15", 327680, 28672, 4096},
                             Shape{"g16", 229376, 28672, 4096},
                             Shape{"mixtral_gate", 4096, 14336, 4096},
                             Shape{"llama7b_gate", 4096, 11008, 4096},
                             Shape{"pow2_4k", 4096, 4096, 4096},
                             Shape{"4096x6144x4096", 4096, 6144, 4096},
                             Shape{"4096x6144x12288", 4096, 6144, 12288},
                             Shape{"4096x6144x16384", 4096, 6144, 16384},
                             Shape{"4096x6656x4096", 4096, 6656, 4096},
                             Shape{"4096x6656x12288", 4096, 6656, 12288},
                             Shape{"4096x6656x16384", 4096, 6656, 16384},
                             Shape{"8192x3584x8192", 8192, 3584, 8192},
                             Shape{"8192x7168x8192", 8192, 7168, 8192}};

struct Options {
  std::string only, layouts = "nn", json;
  double small_ms = 4;  // a sample lasts at least this long
};

struct Candidate {
  cuda::Traits traits;
  std::int32_t group_m;
};

/// Device memory.
class Memory {
 public:
  explicit Memory(std::int64_t bytes) {
    WEFT_BENCH_CHECK(cudaMalloc(&data_, static_cast<std::size_t>(bytes)));
  }
  ~Memory() { cudaFree(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] void* get() const noexcept { return data_; }

 private:
  void* data_ = nullptr;
};

// Fills with bf16 values, roughly normal: one block of random ones, repeated.
void fill_random(void* to, std::int64_t elements, unsigned seed) {
  static std::vector<std::uint16_t> block;
  constexpr std::int64_t kBlock = 1 << 22;
  block.resize(kBlock);
  std::mt19937 random(seed);
  for (std::uint16_t& v : block) {
    const float sum =
        static_cast<float>(random() % 1024 + random() % 1024 + random() % 1024) - 1535;
    const float x = sum / 512;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    v = static_cast<std::uint16_t>(bits >> 16);
  }
  for (std::int64_t at = 0; at < elements; at += kBlock) {
    const auto count = static_cast<std::size_t>(std::min(kBlock, elements - at));
    WEFT_BENCH_CHECK(cudaMemcpy(static_cast<std::uint16_t*>(to) + at, block.data(), count * 2,
                                cudaMemcpyHostToDevice));
  }
}

class Bench {
 public:
  Bench(const Shape& shape, Layout layout, const Options& options)
      : options_(options),
        name_(shape.name),
        a_(shape.m * shape.k * 2),
        b_(shape.k * shape.n * 2),
        c_(shape.m * shape.n * 2),
        c_lt_(shape.m * shape.n * 2) {
    problem_.m = shape.m;
    problem_.n = shape.n;
    problem_.k = shape.k;
    problem_.layout = layout;
    problem_.dtype = DType::kBf16;
    problem_.world_size = 1;
    fill_random(a_.get(), shape.m * shape.k, 1);
    fill_random(b_.get(), shape.k * shape.n, 2);
    WEFT_BENCH_CHECK(cudaEventCreate(&begin_));
    WEFT_BENCH_CHECK(cudaEventCreate(&end_));
    lt_ = std::make_unique<LtProduct>(problem_);
    for (std::size_t i = 0; i < lt_->num_algorithms(); ++i) {
      arms_.push_back([this, i] { lt_->run(i, a_.get(), b_.get(), c_lt_.get(), nullptr); });
      teams_.push_back(0);
    }
    add_candidates();
  }
  ~Bench() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  nlohmann::ordered_json run() {
    // Correctness first, on poisoned memory; cuBLASLt sums in the same order, so most bits agree.
    WEFT_BENCH_CHECK(cudaMemset(c_.get(), 0xFF, bytes_of_c()));
    arms_.back()();
    arms_.front()();
    WEFT_BENCH_CHECK(cudaDeviceSynchronize());
    const double difference = largest_difference();
    warm_up();
    const tune::TimeArm time = [this](std::size_t arm) { return sample(arm); };
    const tune::Screening screening =
        tune::screen(time, teams_, 3, tune::Cut{.slower = 1.10, .keep = 3}, [](auto, auto) {});
    const std::size_t rival = screening.best(teams_, 0), best = screening.best(teams_, 1);
    const std::int32_t pairs = 11;
    const tune::PairTimes floor = tune::run_pairs(time, rival, rival, 6, [](auto) { return true; });
    const tune::PairTimes times =
        tune::run_pairs(time, best, rival, pairs, [](auto) { return true; });
    const double speedup = tune::median(times.ratios);
    const tune::Bounds bounds = tune::order_bounds(times.ratios, tune::sequential_rank(pairs));
    const double t_lt = tune::median(times.b), t = tune::median(times.a);
    const Candidate& c = candidates_[best - lt_->num_algorithms()];
    const double flops = 2.0 * static_cast<double>(problem_.m) * static_cast<double>(problem_.n) *
                         static_cast<double>(problem_.k);
    const double noise = tune::noise_floor(floor.ratios);
    fmt::print(
        "{:<16} {} {:>9.1f} {:>9.1f} {:>6.0f} {:>6.0f}  {:.3f} [{:.3f} {:.3f}] floor {:.1f} %  "
        "n{} s{} c{} g{}  diff {:.1e}\n",
        name_, to_string(problem_.layout), t_lt * 1e6, t * 1e6, flops / t_lt / 1e12,
        flops / t / 1e12, speedup, bounds.lo, bounds.hi, noise * 100, c.traits.tile_n,
        c.traits.num_stages, c.traits.cluster_m, c.group_m, difference);
    std::fflush(stdout);
    return {{"bench", fmt::format("product/{}", name_)},
            {"m", problem_.m},
            {"n", problem_.n},
            {"k", problem_.k},
            {"world_size", 1},
            {"shard_dim", "k"},
            {"layout", to_string(problem_.layout)},
            {"dtype", to_string(problem_.dtype)},
            {"link", "device"},
            {"variant", "direct"},
            {"config",
             {{"tile_m", cuda::kTileM},
              {"tile_n", c.traits.tile_n},
              {"tile_k", cuda::kTileK},
              {"num_stages", c.traits.num_stages},
              {"cluster_m", c.traits.cluster_m},
              {"group_m", c.group_m}}},
            {"t_gemm_us", t_lt * 1e6},
            {"t_gather_us", nullptr},
            {"t_unfused_us", t_lt * 1e6},
            {"t_fused_us", t * 1e6},
            {"pairs", pairs},
            {"speedup", speedup},
            {"speedup_lo", bounds.lo},
            {"speedup_hi", bounds.hi},
            {"noise_floor", noise},
            {"bound", nullptr},
            {"bound_share", nullptr},
            {"overlap_efficiency", nullptr},
            {"tflops", flops / t / 1e12},
            {"max_rel_err", difference}};
  }

 private:
  void add_candidates() {
    const jit::Compiler compiler;
    for (const auto& [n, stages, cluster, groups] :
         {std::tuple{256, 4, 2, std::vector{2, 4, 8}}, std::tuple{128, 6, 2, std::vector{4}},
          std::tuple{256, 4, 1, std::vector{8}}}) {
      const cuda::Traits traits = cuda::traits_for(problem_, n, stages, cluster);
      kernels_.push_back(
          std::make_unique<cuda::Sm90Kernel>(traits, compiler.compile(traits).object.cubin));
      const cuda::Operands operands{.shards = {a_.get()},
                                    .lda = problem_.min_lda(),
                                    .b = b_.get(),
                                    .ldb = problem_.min_ldb(),
                                    .c = c_.get(),
                                    .ldc = problem_.n};
      for (const std::int32_t group : groups) {
        const cuda::Params params = kernels_.back()->params(
            problem_, cuda::kernel_grid(problem_, traits, group, 0), operands);
        arms_.push_back([kernel = kernels_.back().get(), params] {
          kernel->launch(params, cuda::num_sms(0), nullptr);
        });
        teams_.push_back(1);
        candidates_.push_back({traits, group});
      }
    }
  }

  [[nodiscard]] std::size_t bytes_of_c() const {
    return static_cast<std::size_t>(problem_.m * problem_.n * 2);
  }

  // Largest |difference| over the largest |value|, over rows spread through C.
  double largest_difference() {
    constexpr std::int64_t kRows = 64;
    double largest = 0, difference = 0;
    std::vector<std::uint16_t> ours(static_cast<std::size_t>(problem_.n)), theirs(ours.size());
    for (std::int64_t i = 0; i < kRows; ++i) {
      const std::int64_t row = (problem_.m - 1) * i / (kRows - 1);
      const auto at = static_cast<std::size_t>(row * problem_.n * 2);
      const std::size_t bytes = ours.size() * 2;
      WEFT_BENCH_CHECK(cudaMemcpy(ours.data(), static_cast<std::byte*>(c_.get()) + at, bytes,
                                  cudaMemcpyDeviceToHost));
      WEFT_BENCH_CHECK(cudaMemcpy(theirs.data(), static_cast<std::byte*>(c_lt_.get()) + at, bytes,
                                  cudaMemcpyDeviceToHost));
      for (std::size_t n = 0; n < ours.size(); ++n) {
        const double x = value(ours[n]), y = value(theirs[n]);
        if (!(std::abs(x - y) <= 1e30))
          throw device_error("{}: row {} holds no number", name_, row);
        largest = std::max(largest, std::abs(y));
        difference = std::max(difference, std::abs(x - y));
      }
    }
    return difference / largest;
  }

  static double value(std::uint16_t word) {
    const std::uint32_t bits = std::uint32_t{word} << 16;
    float v = 0;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }

  // Runs until the card's clock has settled.
  void warm_up() {
    constexpr double kSeconds = 0.5;
    const double once = timed(0, 1);
    repeats_ = static_cast<int>(std::max(1.0, std::ceil(options_.small_ms * 1e-3 / once)));
    for (double spent = 0; spent < kSeconds;) spent += timed(0, repeats_) * repeats_;
  }

  double timed(std::size_t arm, int repeats) {
    WEFT_BENCH_CHECK(cudaEventRecord(begin_, nullptr));
    for (int i = 0; i < repeats; ++i) arms_[arm]();
    WEFT_BENCH_CHECK(cudaEventRecord(end_, nullptr));
    WEFT_BENCH_CHECK(cudaEventSynchronize(end_));
    float ms = 0;
    WEFT_BENCH_CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    return ms * 1e-3 / repeats;
  }

  double sample(std::size_t arm) {
    arms_[arm]();  // untimed: the same power state before each sample
    return timed(arm, repeats_);
  }

  const Options& options_;
  std::string name_;
  Problem problem_;
  Memory a_, b_, c_, c_lt_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::unique_ptr<LtProduct> lt_;
  std::vector<std::unique_ptr<cuda::Sm90Kernel>> kernels_;
  std::vector<Candidate> candidates_;
  std::vector<std::function<void()>> arms_;
  std::vector<int> teams_;
  int repeats_ = 1;
};

nlohmann::ordered_json meta(const std::string& command) {
  cudaDeviceProp device{};
  int driver = 0, runtime = 0;
  WEFT_BENCH_CHECK(cudaGetDeviceProperties(&device, 0));
  WEFT_BENCH_CHECK(cudaDriverGetVersion(&driver));
  WEFT_BENCH_CHECK(cudaRuntimeGetVersion(&runtime));
  nlohmann::ordered_json m = ops::results_meta(command, detect_gpu(), "");
  m["device"] = fmt::format("{} ({})", detect_gpu().device(), device.name);
  m["driver"] = fmt::format("CUDA {}.{}", driver / 1000, driver % 1000 / 10);
  m["toolkit"] = fmt::format("CUDA {}.{}, NVRTC {}, cuBLASLt {}", runtime / 1000,
                             runtime % 1000 / 10, jit::nvrtc_state().version, cublasLtGetVersion());
  m["clocks"] = "as found; power-limited under load";
  m["note"] =
      "t_gemm_us and t_unfused_us: best algorithm of cuBLASLt's list; speedup: its time "
      "over ours; max_rel_err: against cuBLASLt, over 64 rows, relative to the largest value";
  return m;
}

int run_all(const Options& options, const std::string& command) {
  cuda::use_device(0);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  fmt::print("{:<16} {} {:>9} {:>9} {:>6} {:>6}  {}\n", "shape", "  ", "Lt us", "ours us", "Lt TF",
             "our TF", "Lt / ours [97 %]");
  double log_sum = 0;
  for (const std::string layout : {"nn", "nt", "tn", "tt"}) {
    if (options.layouts.find(layout) == std::string::npos) continue;
    for (const Shape& shape : kShapes) {
      if (std::string(shape.name).find(options.only) == std::string::npos) continue;
      rows.push_back(Bench(shape, parse_layout(layout), options).run());
      log_sum += std::log(rows.back()["speedup"].get<double>());
    }
  }
  if (rows.empty()) {
    fmt::print(stderr, "no shape holds '{}', or no layout in '{}'\n", options.only,
               options.layouts);
    return 2;
  }
  fmt::print("geometric mean {:.3f}\n", std::exp(log_sum / static_cast<double>(rows.size())));
  if (options.json.empty()) return 0;
  std::ofstream file(options.json);
  file << nlohmann::ordered_json{{"meta", meta(command)}, {"rows", rows}}.dump(1) << "\n";
  if (file.flush()) return 0;
  fmt::print(stderr, "'{}' cannot be written; choose another --json\n", options.json);
  return 3;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  CLI::App app("Compares the Hopper kernel's product with cuBLASLt.");
  weft::bench::Options options;
  app.add_option("--only", options.only, "Only shapes whose name holds this text [all]");
  app.add_option("--layouts", options.layouts, "Comma-separated")->capture_default_str();
  app.add_option("--json", options.json, "Write a result file [none]");
  CLI11_PARSE(app, argc, argv);
  std::string command = "sm90_product_bench";
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  try {
    return weft::bench::run_all(options, command);
  } catch (const weft::Error& error) {
    fmt::print(stderr, "sm90_product_bench: {}\n", error.what());
    return 3;
  }
}
