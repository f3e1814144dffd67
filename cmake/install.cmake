# Installs the library, its headers, the licence, and the files for find_package(kgen) and pkg-config. src/cli
# installs the command.
include(CMakePackageConfigHelpers)
set(kgen_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kgen)
set(kgen_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS kgen EXPORT kgen_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kgen_targets
    FILE kgenTargets.cmake NAMESPACE kgen:: DESTINATION ${kgen_package_dir})

# A program that links a static library also links its dependencies. A shared library already contains them. Only one
# of the two is installed, so kgen.pc names what that one needs, and `pkg-config --static` is never needed.
get_target_property(kgen_library_type kgen TYPE)
if(kgen_library_type STREQUAL "SHARED_LIBRARY")
    set(kgen_link_dependencies "")
    set(kgen_pc_requires "fmt")
    set(kgen_pc_cflags " -DKGEN_SHARED")
    set(kgen_pc_libs "")
else()
    set(kgen_link_dependencies spdlog OpenSSL Threads ZLIB)
    set(kgen_pc_requires "fmt, spdlog, libcrypto, zlib")
    set(kgen_pc_cflags "")
    set(kgen_pc_libs " -ldl -pthread")
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

# The prefix is relative to kgen.pc, so that an installation can be moved. GNUInstallDirs allows absolute folders, which
# are then not below the prefix.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(kgen_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
    file(RELATIVE_PATH kgen_pc_prefix /${kgen_pc_dir} /)
    string(REGEX REPLACE "/$" "" kgen_pc_prefix "\${pcfiledir}/${kgen_pc_prefix}")
endif()
cmake_path(APPEND kgen_pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND kgen_pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/kgen.pc.in ${CMAKE_CURRENT_BINARY_DIR}/kgen.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kgen.pc DESTINATION ${kgen_pc_dir})

install(FILES ${kgen_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kgen RENAME copyright)
