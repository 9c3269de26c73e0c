# cmake --install: library, headers, command, shipped data, and find_package(weft) for others.
# weft::weft is the only exported target.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(TARGETS weft EXPORT weft-targets)
install(
  EXPORT weft-targets
  NAMESPACE weft::
  DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/weft-config.cmake.in ${PROJECT_BINARY_DIR}/weft-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weft-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weft-config.cmake
              ${PROJECT_BINARY_DIR}/weft-config-version.cmake cmake/WeftOneDnn.cmake
        DESTINATION ${package_dir})

install(DIRECTORY include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(
  DIRECTORY configs/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/configs
  FILES_MATCHING
  PATTERN *.json)
install(FILES LICENSE NOTICE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET weft_cli)
  file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(weft_cli PROPERTIES INSTALL_RPATH $ORIGIN/${bin_to_lib})
  install(TARGETS weft_cli)
endif()
