# cmake -DCOMPILER=c++ -DINCLUDE=include -DHEADER=weft/plan.hpp -P check_includes.cmake: fails if the
# header leads to any that is neither weft's own nor the C++ standard library's.
execute_process(
  COMMAND ${COMPILER} -std=c++20 -x c++ -M -I${INCLUDE} ${INCLUDE}/${HEADER}
  OUTPUT_VARIABLE rule
  RESULT_VARIABLE status
  ERROR_VARIABLE message)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${HEADER} does not compile alone:\n${message}")
endif()
string(REGEX REPLACE "[ \\\n]+" ";" files "${rule}")
list(LENGTH files count)
if(count LESS 3)
  message(FATAL_ERROR "${HEADER}: the compiler listed no includes, so nothing was checked")
endif()
foreach(file ${files})
  get_filename_component(name "${file}" NAME)
  if(name MATCHES "^(cuda|hip|hsa|nccl|rccl|mpi|omp|cblas|mkl)" OR file MATCHES
                                                         "/(fmt|nlohmann|CLI|oneapi|openmpi|mpich)/")
    message(FATAL_ERROR "${HEADER} includes ${file}: public headers name no backend and no library")
  endif()
endforeach()
