// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/driver.hpp"

namespace weft::cuda {
namespace {

constexpr int kSuccess = 0;
constexpr int kMultiprocessorCount = 16;  // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT

}  // namespace

Driver::Driver() {
  library.find(init, "cuInit");
  library.find(get_error_name, "cuGetErrorName");
  library.find(device_get, "cuDeviceGet");
  library.find(device_get_attribute, "cuDeviceGetAttribute");
  library.find(primary_retain, "cuDevicePrimaryCtxRetain");
  library.find(context_set, "cuCtxSetCurrent");
  library.find(context_synchronize, "cuCtxSynchronize");
  library.find(module_load, "cuModuleLoadData");
  library.find(module_unload, "cuModuleUnload");
  library.find(get_function, "cuModuleGetFunction");
  library.find(set_attribute, "cuFuncSetAttribute");
  library.find(launch, "cuLaunchKernel");
  library.find(encode_tiled, "cuTensorMapEncodeTiled");
  library.find(allocate, "cuMemAlloc_v2");
  library.find(free, "cuMemFree_v2");
  library.find(copy_to_device, "cuMemcpyHtoD_v2");
  library.find(copy_to_host, "cuMemcpyDtoH_v2");
  check(init(0), "cuInit");
}

void Driver::check(int result, const char* call) const {
  if (result == kSuccess) return;
  const char* name = nullptr;
  get_error_name(result, &name);
  throw device_error("CUDA: {}: {} ({})", call, name == nullptr ? "unknown error" : name, result);
}

const Driver& driver() {
  static const Driver instance;
  return instance;
}

void use_device(int device) {
  int handle = 0;
  Context context = nullptr;
  WEFT_CUDA_CHECK(device_get(&handle, device));
  WEFT_CUDA_CHECK(primary_retain(&context, handle));
  WEFT_CUDA_CHECK(context_set(context));
}

std::int32_t num_sms(int device) {
  int handle = 0, value = 0;
  WEFT_CUDA_CHECK(device_get(&handle, device));
  WEFT_CUDA_CHECK(device_get_attribute(&value, kMultiprocessorCount, handle));
  return value;
}

}  // namespace weft::cuda
