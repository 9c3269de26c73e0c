# Target weft::onednn, oneDNN's C interface. Used by weft's own build and by the installed package.
# NOTE: found by hand, because Debian's dnnl-config.cmake insists on OpenCL headers.
if(NOT TARGET weft::onednn)
  find_path(WEFT_DNNL_INCLUDE oneapi/dnnl/dnnl.h)
  find_library(WEFT_DNNL_LIBRARY dnnl)
  mark_as_advanced(WEFT_DNNL_INCLUDE WEFT_DNNL_LIBRARY)
  if(WEFT_DNNL_INCLUDE AND WEFT_DNNL_LIBRARY)
    add_library(weft::onednn UNKNOWN IMPORTED)
    set_target_properties(
      weft::onednn PROPERTIES IMPORTED_LOCATION ${WEFT_DNNL_LIBRARY}
                              INTERFACE_INCLUDE_DIRECTORIES ${WEFT_DNNL_INCLUDE})
  endif()
endif()
