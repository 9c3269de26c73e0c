# Target device_check: compiles the headers that kernels share with the host for sm_90a. Needs nvcc
# but no GPU; without nvcc the target says that it was skipped.
find_program(WEFT_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
set(source ${PROJECT_SOURCE_DIR}/tests/schedule/device_check.cu)
if(WEFT_NVCC)
  set(cubin ${CMAKE_BINARY_DIR}/device_check.cubin)
  add_custom_command(
    OUTPUT ${cubin}
    COMMAND
      ${WEFT_NVCC} -std=c++20 -gencode=arch=compute_90a,code=sm_90a -cubin -Werror all-warnings
      -ccbin ${CMAKE_CXX_COMPILER} -I${PROJECT_SOURCE_DIR}/src -MD -MF ${cubin}.d -o ${cubin}
      ${source}
    DEPENDS ${source}
    DEPFILE ${cubin}.d
    COMMENT "Compiling the device-clean headers for sm_90a"
    VERBATIM)
  add_custom_target(device_check DEPENDS ${cubin})
else()
  add_custom_target(device_check COMMAND ${CMAKE_COMMAND} -E echo
                                         "device check skipped: no nvcc on this machine" VERBATIM)
endif()
