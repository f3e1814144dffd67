# Installs the library, its headers and the files for find_package(kgen). src/cli installs the command.
include(CMakePackageConfigHelpers)
set(kgen_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kgen)

install(TARGETS kgen EXPORT kgen_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kgen_targets
    FILE kgenTargets.cmake NAMESPACE kgen:: DESTINATION ${kgen_package_dir})

# A target that links a static library also links its dependencies. A shared library already contains them.
get_target_property(kgen_library_type kgen TYPE)
if(kgen_library_type STREQUAL "SHARED_LIBRARY")
    set(kgen_link_dependencies "")
else()
    set(kgen_link_dependencies spdlog OpenSSL Threads ZLIB)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/kgenConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/kgenConfig.cmake
    INSTALL_DESTINATION ${kgen_package_dir}
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kgenConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_LIST_DIR}/KgenPrecompile.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/kgenConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/kgenConfigVersion.cmake
    DESTINATION ${kgen_package_dir})
