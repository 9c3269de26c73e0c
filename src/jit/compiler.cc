// SPDX-License-Identifier: Apache-2.0
#include "jit/compiler.hpp"

#include <charconv>
#include <chrono>
#include <string_view>
#include <system_error>

#include "config/hash.hpp"
#include "core/log.hpp"
#include "core/message.hpp"
#include "jit/embedded.hpp"

namespace weft::jit {
namespace {

constexpr std::string_view kKernel = "kernels/cuda/sm90_ag_mm.cu";
// NVRTC has no standard headers. These are the types that the shared headers use.
constexpr EmbeddedFile kCstdint{"cstdint", R"(#pragma once
namespace std {
using int32_t = int;
using uint32_t = unsigned;
using uint16_t = unsigned short;
using int64_t = long long;
using uint64_t = unsigned long long;
}
)"};

constexpr std::int32_t kLargestShared = 232'448;  // a work-group of sm_90: 227 KiB
constexpr std::int32_t kMinStages = 2, kMaxStages = 12;

void check(const cuda::Traits& t) {
  if (t.tile_n != 128 && t.tile_n != 256) {
    throw invalid_argument("tile_n={} must be 128 or 256", t.tile_n);
  }
  if (t.cluster_m != 1 && t.cluster_m != 2) {
    throw invalid_argument("cluster_m={} must be 1 or 2", t.cluster_m);
  }
  if (t.num_stages < kMinStages || t.num_stages > kMaxStages) {
    throw invalid_argument("num_stages={} must be {} to {}", t.num_stages, kMinStages, kMaxStages);
  }
  if (cuda::shared_bytes(t) > kLargestShared) {
    throw invalid_argument("num_stages={} with tile_n={} needs {} bytes of shared memory of {}",
                           t.num_stages, t.tile_n, cuda::shared_bytes(t), kLargestShared);
  }
}

std::vector<std::string> options(const cuda::Traits& t) {
  const auto define = [](const char* name, int value) {
    return fmt::format("-DWEFT_{}={}", name, value);
  };
  return {"--gpu-architecture=sm_90a",
          "--std=c++20",
          "--ptxas-options=-v",
          define("TILE_N", t.tile_n),
          define("NUM_STAGES", t.num_stages),
          define("CLUSTER_M", t.cluster_m),
          define("A_T", t.a_t ? 1 : 0),
          define("B_T", t.b_t ? 1 : 0),
          define("F16", t.f16 ? 1 : 0),
          define("BIAS", t.bias ? 1 : 0)};
}

/// The number that stands right before `text` in the compiler's log.
std::int32_t number_before(std::string_view log, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t end = log.find(text);
  std::int32_t value = 0;
  if (end != std::string_view::npos) {
    const std::size_t last = log.substr(0, end).find_last_not_of(kDigits);
    const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
    const auto [stop, error] = std::from_chars(log.data() + begin, log.data() + end, value);
    if (error == std::errc() && stop == log.data() + end) return value;
  }
  throw make_error(ErrorCode::kInternal, "the compiler's log holds no number before '{}':\n{}",
                   text, log);
}

}  // namespace

KernelReport parse_report(const std::string& log) {
  KernelReport report;
  report.registers = number_before(log, " registers");
  report.spill_bytes =
      number_before(log, " bytes spill stores") + number_before(log, " bytes spill loads");
  // ptxas C7510: "Potential Performance Loss: wgmma.mma_async instructions are serialized ..."
  report.wgmma_serialized = log.find("are serialized") != std::string::npos;
  return report;
}

std::string Compiler::key(const cuda::Traits& traits) {
  const NvrtcState nvrtc = nvrtc_state();
  if (!nvrtc.available) throw device_error("{}", nvrtc.reason);
  config::Digest digest;
  digest.add(nvrtc.version);
  for (const EmbeddedFile& file : embedded_files()) {
    digest.add(file.relative_path);
    digest.add(file.text);
  }
  digest.add(kCstdint.text);
  for (const std::string& option : options(traits)) digest.add(option);
  return digest.hex();
}

Compiled Compiler::compile(const cuda::Traits& traits) const {
  check(traits);
  const auto begin = std::chrono::steady_clock::now();
  const std::string name = key(traits);
  Compiled result;
  if (auto cached = cache_.load(name)) {
    result.object = std::move(*cached);
    result.from_cache = true;
  } else {
    std::vector<EmbeddedFile> headers{kCstdint};
    EmbeddedFile kernel;
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.relative_path == kKernel) kernel = file;
      headers.push_back(file);
    }
    result.object = nvrtc_compile(kernel, headers, options(traits));
    try {
      cache_.store(name, result.object);
    } catch (const Error& error) {
      log::notice("{}", error.what());
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace weft::jit
