# Warnings, sanitizers and the helper that makes one object library per source folder.
add_library(weft_options INTERFACE)
target_include_directories(
  weft_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                         $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
target_link_libraries(weft_options INTERFACE fmt::fmt Threads::Threads)
if(WEFT_DEV)
  target_compile_options(weft_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # NOTE: GCC 12 sees overlaps and overruns inside std::string that are not there.
    target_compile_options(weft_options INTERFACE -Wno-restrict -Wno-array-bounds
                                                  -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endif()
if(WEFT_SANITIZE)
  target_compile_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()

# Parsing fmt and the standard library is most of what a source file costs, so it is done once.
set(WEFT_COMMON_HEADERS <algorithm> <filesystem> <functional> <memory> <mutex> <optional> <string>
                        <unordered_map> <vector> <fmt/format.h>)
add_library(weft_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cc)
target_link_libraries(weft_pch PRIVATE weft_options)
target_precompile_headers(weft_pch PRIVATE ${WEFT_COMMON_HEADERS})

# weft_add_module(core SOURCES a.cc b.cc [LINK libs...] [OPTIMIZED]): object library weft_core.
# OPTIMIZED is for modules that set an optimisation level of their own, which the headers lack.
function(weft_add_module name)
  cmake_parse_arguments(arg "OPTIMIZED" "" "SOURCES;LINK" ${ARGN})
  add_library(weft_${name} OBJECT ${arg_SOURCES})
  target_link_libraries(weft_${name} PUBLIC weft_options ${arg_LINK})
  if(NOT arg_OPTIMIZED)
    target_precompile_headers(weft_${name} REUSE_FROM weft_pch)
  endif()
  set_property(GLOBAL APPEND PROPERTY WEFT_MODULES weft_${name})
endfunction()
