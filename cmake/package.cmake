# Packages of everything that is installed: `cpack` in the build folder makes a .tar.gz and a .deb.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_VENDOR "the kgen authors")
set(CPACK_PACKAGE_CONTACT "the kgen authors")
set(CPACK_PACKAGE_DESCRIPTION "kgen compiles kernels for CUDA GPUs and for the CPU at run time, and keeps them on disk.")
set(CPACK_RESOURCE_FILE_LICENSE ${kgen_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
# Programs that use kgen are built with these. What the command and a shared library need to run is found by
# dpkg-shlibdeps.
if(kgen_library_type STREQUAL "SHARED_LIBRARY")
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libfmt-dev")
else()
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libfmt-dev, libspdlog-dev, libssl-dev, zlib1g-dev")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++")  # the compiler of the host device
find_program(KGEN_DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(KGEN_DPKG_SHLIBDEPS)
if(KGEN_DPKG_SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${kgen_BINARY_DIR}/src)  # where a shared library is built
endif()
include(CPack)
