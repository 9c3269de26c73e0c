// SPDX-License-Identifier: Apache-2.0
// Asks NVIDIA's driver library, opened at run time: no CUDA header, no link, no tool started.
#include <dlfcn.h>

#include <array>
#include <memory>

#include "arch/detect.hpp"
#include "core/message.hpp"

namespace weft::arch {
namespace {

// Values of the driver API's CUresult and CUdevice_attribute, fixed by its binary interface.
constexpr int kSuccess = 0;
constexpr int kMultiprocessorCount = 16;
constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;

using InitFn = int(unsigned flags);
using CountFn = int(int* count);
using DeviceFn = int(int* device, int ordinal);
using AttributeFn = int(int* value, int attribute, int device);
using NameFn = int(char* name, int size, int device);

struct CloseLibrary {
  void operator()(void* handle) const noexcept { dlclose(handle); }
};

template <class Fn>
Fn* symbol(void* library, const char* name) {
  return reinterpret_cast<Fn*>(dlsym(library, name));
}

}  // namespace

Arch detect_cuda(const char* driver_library) {
  const std::unique_ptr<void, CloseLibrary> library(dlopen(driver_library, RTLD_NOW | RTLD_LOCAL));
  if (!library) return {};
  auto* init = symbol<InitFn>(library.get(), "cuInit");
  auto* count = symbol<CountFn>(library.get(), "cuDeviceGetCount");
  auto* get = symbol<DeviceFn>(library.get(), "cuDeviceGet");
  auto* attribute = symbol<AttributeFn>(library.get(), "cuDeviceGetAttribute");
  auto* name = symbol<NameFn>(library.get(), "cuDeviceGetName");
  if (!init || !count || !get || !attribute || !name) return {};

  int devices = 0;
  int device = 0;
  if (init(0) != kSuccess || count(&devices) != kSuccess || devices < 1) return {};
  if (get(&device, 0) != kSuccess) return {};
  int units = 0;
  int major = 0;
  int minor = 0;
  if (attribute(&units, kMultiprocessorCount, device) != kSuccess) return {};
  if (attribute(&major, kComputeCapabilityMajor, device) != kSuccess) return {};
  if (attribute(&minor, kComputeCapabilityMinor, device) != kSuccess) return {};

  Arch found;
  found.key = fmt::format("sm_{}{}", major, minor);
  found.units = units;
  std::array<char, 128> text{};
  if (name(text.data(), static_cast<int>(text.size()) - 1, device) == kSuccess) {
    found.name = text.data();
  }
  return found;
}

}  // namespace weft::arch
