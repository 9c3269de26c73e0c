# weft_embed(<out-variable> ROOT folder HEADER config/embedded.hpp NAMESPACE weft::config FILES a.json
# b.json): a source that defines NAMESPACE::embedded_files(), declared in HEADER, with the files of
# ROOT. This file is also the script that writes it.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(WEFT_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(weft_embed result)
    cmake_parse_arguments(arg "" "ROOT;HEADER;NAMESPACE" "FILES" ${ARGN})
    list(TRANSFORM arg_FILES PREPEND ${arg_ROOT}/ OUTPUT_VARIABLE inputs)
    list(JOIN arg_FILES "|" joined)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_files.cc)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${arg_ROOT} -DHEADER=${arg_HEADER}
              -DNAMESPACE=${arg_NAMESPACE} -DFILES=${joined} -P ${WEFT_EMBED_SCRIPT}
      DEPENDS ${inputs} ${WEFT_EMBED_SCRIPT}
      COMMENT "Embedding files of ${arg_ROOT}"
      VERBATIM)
    set(${result} ${output} PARENT_SCOPE)
  endfunction()
  return()
endif()

string(REPLACE "|" ";" files "${FILES}")
list(SORT files)
set(arrays "")
set(rows "")
set(index 0)
foreach(file ${files})
  file(READ ${ROOT}/${file} hex HEX)
  file(SIZE ${ROOT}/${file} size)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND arrays "constexpr char kFile${index}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${file}\", {kFile${index}, ${size}}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(
  WRITE ${OUTPUT}
  "// Made by cmake/WeftEmbed.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {

${arrays}
constexpr EmbeddedFile kFiles[] = {
${rows}};

}  // namespace

std::span<const EmbeddedFile> embedded_files() noexcept { return kFiles; }

}  // namespace ${NAMESPACE}
")
