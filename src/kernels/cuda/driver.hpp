// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver interface, opened when first used: no CUDA header, no link.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/library.hpp"

namespace weft::cuda {

using Module = struct CUmod_st*;
using Function = struct CUfunc_st*;
using Stream = struct CUstream_st*;
using Context = struct CUctx_st*;
using DevicePointer = std::uint64_t;

/// The functions of CUDA 12 and 13 (cuda.h) that weft calls, under their names there.
struct Driver {
  Library library{"the NVIDIA driver", {"libcuda.so.1", "libcuda.so"}};
  int (*init)(unsigned flags) = nullptr;
  int (*get_error_name)(int result, const char** name) = nullptr;
  int (*device_get)(int* device, int ordinal) = nullptr;
  int (*device_get_attribute)(int* value, int attribute, int device) = nullptr;
  int (*primary_retain)(Context*, int device) = nullptr;
  int (*context_set)(Context) = nullptr;
  int (*context_synchronize)() = nullptr;
  int (*module_load)(Module*, const void* image) = nullptr;
  int (*module_unload)(Module) = nullptr;
  int (*get_function)(Function*, Module, const char* name) = nullptr;
  int (*set_attribute)(Function, int attribute, int value) = nullptr;
  int (*launch)(Function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream, void** arguments,
                void** extra) = nullptr;
  int (*encode_tiled)(void* map, int data_type, std::uint32_t rank, void* address,
                      const std::uint64_t* dims, const std::uint64_t* strides,
                      const std::uint32_t* box, const std::uint32_t* element_strides,
                      int interleave, int swizzle, int l2_promotion, int fill) = nullptr;
  int (*allocate)(DevicePointer*, std::size_t bytes) = nullptr;
  int (*free)(DevicePointer) = nullptr;
  int (*copy_to_device)(DevicePointer, const void*, std::size_t bytes) = nullptr;
  int (*copy_to_host)(void*, DevicePointer, std::size_t bytes) = nullptr;

  Driver();
  /// @throws Error kDeviceError naming the call and the driver's error
  void check(int result, const char* call) const;
};

/// @throws Error kDeviceError when there is no driver, or one that is too old
const Driver& driver();

/// Makes the primary context of `device` current on this thread. Retained until the process ends.
void use_device(int device);

/// SMs of a device.
std::int32_t num_sms(int device);

}  // namespace weft::cuda

#define WEFT_CUDA_CHECK(call) ::weft::cuda::driver().check(::weft::cuda::driver().call, #call)
