# Warnings, sanitizers and the helper that makes one object library per source folder.
add_library(weft_options INTERFACE)
target_include_directories(
  weft_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                         $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
target_link_libraries(weft_options INTERFACE fmt::fmt Threads::Threads)
if(WEFT_DEV)
  target_compile_options(weft_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
endif()
if(WEFT_SANITIZE)
  target_compile_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()

# weft_add_module(core SOURCES a.cc b.cc [LINK libs...]): object library weft_core.
function(weft_add_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(weft_${name} OBJECT ${arg_SOURCES})
  target_link_libraries(weft_${name} PUBLIC weft_options ${arg_LINK})
  set_property(GLOBAL APPEND PROPERTY WEFT_MODULES weft_${name})
endfunction()
