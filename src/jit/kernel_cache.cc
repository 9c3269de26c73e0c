// SPDX-License-Identifier: Apache-2.0
#include "jit/kernel_cache.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>

#include "config/file_lock.hpp"
#include "config/hash.hpp"
#include "core/env.hpp"
#include "core/message.hpp"

namespace weft::jit {

namespace fs = std::filesystem;

fs::path KernelCache::default_folder() {
  if (const auto named = env::absolute_path("WEFT_CACHE_DIR")) return *named / "kernels";
  return env::absolute_path("XDG_CACHE_HOME").value_or(env::home() / ".cache") / "weft/kernels";
}

std::optional<Object> KernelCache::load(const std::string& key) const {
  std::ifstream file(path(key), std::ios::binary);
  std::string magic, digest;
  int version = 0;
  std::size_t cubin_size = 0, log_size = 0;
  if (!(file >> magic >> version >> digest >> cubin_size >> log_size)) return std::nullopt;
  if (magic != "weft-kernel" || version != 1 || file.get() != '\n') return std::nullopt;
  const std::string rest{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (cubin_size > rest.size() || log_size != rest.size() - cubin_size) return std::nullopt;
  if (config::hash64_hex(rest) != digest) return std::nullopt;
  return Object{rest.substr(0, cubin_size), rest.substr(cubin_size)};
}

void KernelCache::store(const std::string& key, const Object& object) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw device_error(
        "the kernel cache {} cannot be created ({}); set WEFT_CACHE_DIR to a folder "
        "that can be written",
        folder_.string(), error.message());
  }
  const std::string rest = object.cubin + object.log;
  config::replace_file(path(key), fmt::format("weft-kernel 1 {} {} {}\n", config::hash64_hex(rest),
                                              object.cubin.size(), object.log.size()) +
                                      rest);
}

}  // namespace weft::jit
