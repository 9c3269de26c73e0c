# weft_add_test(select/nearest_test.cc [more.cc] LABELS unit DEPS weft_core weft_select): one test
# program, one CTest entry a case. DEPS names every object library that is linked in. Target
# tests_<label> builds all programs with that label.
include(GoogleTest)

# Tests never see the user's own database or cache, and give up soon.
set(WEFT_TEST_ENVIRONMENT
    WEFT_TIMEOUT_MS=2000
    XDG_DATA_HOME=${PROJECT_BINARY_DIR}/xdg/data
    XDG_DATA_DIRS=${PROJECT_BINARY_DIR}/xdg/site
    XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/xdg/cache)

# As weft_pch, for programs, which are compiled as position-independent executables.
add_executable(weft_test_pch EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/pch.cc)
target_link_libraries(weft_test_pch PRIVATE weft_options GTest::gtest_main)
target_precompile_headers(weft_test_pch PRIVATE ${WEFT_COMMON_HEADERS} <gtest/gtest.h>)

function(weft_add_test source)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS;DEPS;DEFINES" ${ARGN})
  string(REPLACE "/" "_" name ${source})
  string(REGEX REPLACE "\\.cc$" "" name ${name})
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND ${PROJECT_SOURCE_DIR}/tests/)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/${source} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE weft_options ${arg_DEPS} GTest::gtest_main rapidcheck)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_precompile_headers(${name} REUSE_FROM weft_test_pch)
  target_compile_definitions(
    ${name} PRIVATE WEFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WEFT_BINARY_DIR="${PROJECT_BINARY_DIR}"
                    ${arg_DEFINES})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  foreach(label ${arg_LABELS})
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${name})
  endforeach()
  # NOTE: gtest_discover_tests cuts property values at semicolons, so a file that CTest reads after
  # the discovery sets them.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST)
  set(properties ${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/WeftTestProperties.cmake.in ${properties} @ONLY)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties})
endfunction()
