# weft_add_test(select/nearest_test.cc [more.cc] LABELS unit DEPS weft_core weft_select): one test
# program, one CTest entry a case. DEPS names every object library that is linked in.
include(GoogleTest)

function(weft_add_test source)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS;DEPS;DEFINES" ${ARGN})
  string(REPLACE "/" "_" name ${source})
  string(REGEX REPLACE "\\.cc$" "" name ${name})
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND ${PROJECT_SOURCE_DIR}/tests/)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/${source} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE weft_options ${arg_DEPS} GTest::gtest_main rapidcheck)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(
    ${name} PRIVATE WEFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WEFT_BINARY_DIR="${PROJECT_BINARY_DIR}"
                    ${arg_DEFINES})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  gtest_discover_tests(
    ${name}
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT
               "WEFT_TIMEOUT_MS=2000;XDG_DATA_HOME=${PROJECT_BINARY_DIR}/xdg/data;XDG_DATA_DIRS=${PROJECT_BINARY_DIR}/xdg/site;XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/xdg/cache"
    DISCOVERY_MODE PRE_TEST)
endfunction()
