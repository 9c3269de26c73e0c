# Script: writes OUTPUT, a header with the git commit of ROOT; touches it only when it changes.
cmake_minimum_required(VERSION 3.25)
execute_process(
  COMMAND git -C ${ROOT} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define WEFT_COMMIT \"@commit@\"\n" @ONLY)
