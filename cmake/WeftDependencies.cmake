# Every third-party library weft needs; all are Debian packages (see scripts/setup.sh).
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(CLI11 2 REQUIRED)
find_path(WEFT_XXHASH_INCLUDE xxhash.h REQUIRED)

# Sanitizer builds use the portable loop, so that every access to A, staging and C is instrumented.
set(WEFT_HAS_ONEDNN OFF)
if(WEFT_ONEDNN AND NOT WEFT_SANITIZE)
  find_package(OpenMP QUIET COMPONENTS CXX)
  include(WeftOneDnn)
  if(OpenMP_CXX_FOUND AND TARGET weft::onednn)
    set(WEFT_HAS_ONEDNN ON)
  else()
    message(STATUS "oneDNN (libdnnl-dev) not found: the CPU backend uses its portable loop")
  endif()
endif()

if(WEFT_DEV)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(benchmark REQUIRED)
endif()
