# find_package(weft) for others.
include(CMakePackageConfigHelpers)

#install(TARGETS weft EXPORT weft-targets)
#install(TARGETS weft_cli)
install(DIRECTORY include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
