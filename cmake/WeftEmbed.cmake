# cmake -DOUTPUT=x.cc -DROOT=folder -DFILES=a.json|b.json -P WeftEmbed.cmake: the files as one C++
# source that defines weft::config::embedded_files().
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
  "// Made by cmake/WeftEmbed.cmake from configs/.
#include \"config/embedded.hpp\"

namespace weft::config {
namespace {

${arrays}
constexpr EmbeddedFile kFiles[] = {
${rows}};

}  // namespace

std::span<const EmbeddedFile> embedded_files() noexcept { return kFiles; }

}  // namespace weft::config
")
