# cmake -DBUILD=.. -DSOURCE=.. -DCOMPILER=.. -DGENERATOR=.. -DWORK=.. -P install_and_use.cmake
file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${status}): ${command}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
# NOTE: a package that is used where it was installed proves little, so the tree is moved first.
file(RENAME ${prefix} ${WORK}/moved)
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/consumer -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/moved)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)

foreach(file bin/weft include/weft/weft.hpp share/weft/configs/schema.json)
  if(NOT EXISTS ${WORK}/moved/${file})
    message(FATAL_ERROR "the installed tree lacks ${file}")
  endif()
endforeach()
run(${WORK}/moved/bin/weft --version)

# Only weft::weft is exported; neither it nor the package names this build or an internal target.
file(GLOB_RECURSE package ${WORK}/moved/weft-*.cmake ${WORK}/moved/Weft*.cmake)
if(NOT package)
  message(FATAL_ERROR "no package files below ${WORK}/moved")
endif()
foreach(file ${package})
  file(READ ${file} text)
  if(text MATCHES "weft_(options|core|cpu)" OR text MATCHES "${SOURCE}/(src|include|build)")
    message(FATAL_ERROR "${file} leaks '${CMAKE_MATCH_0}'")
  endif()
  string(REGEX MATCHALL "add_library\\([^ ]+" targets "${text}")
  list(REMOVE_ITEM targets "add_library(weft::weft" "add_library(weft::onednn")
  if(targets)
    message(FATAL_ERROR "${file} exports more than weft::weft: ${targets}")
  endif()
endforeach()
