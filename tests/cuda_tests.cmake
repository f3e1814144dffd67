# The tests in tests/cuda, for builds with CUDA's headers. Most use the fake driver or the real NVRTC.
# Tests named "gpu: ..." need a GPU, and report it if there is none.
file(GLOB cuda_test_sources CONFIGURE_DEPENDS cuda/*_test.cpp)
kgen_test_sources(kgen_tests ${cuda_test_sources})
target_sources(kgen_thread_tests PRIVATE cuda/cuda_scratch_threads_test.cpp)
foreach(program IN ITEMS kgen_tests kgen_thread_tests)
    target_include_directories(${program} SYSTEM PRIVATE ${KGEN_CUDA_INCLUDE_DIR})
endforeach()

foreach(fake IN ITEMS cuda nvrtc)
    add_library(kgen_fake_${fake} MODULE)
    target_compile_features(kgen_fake_${fake} PRIVATE cxx_std_20)
    target_include_directories(kgen_fake_${fake} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_include_directories(kgen_fake_${fake} SYSTEM PRIVATE ${KGEN_CUDA_INCLUDE_DIR})
    target_link_libraries(kgen_fake_${fake} PRIVATE kgen_warnings)
    set_target_properties(kgen_fake_${fake} PROPERTIES CXX_VISIBILITY_PRESET hidden)
    add_dependencies(kgen_tests kgen_fake_${fake})
    add_dependencies(kgen_thread_tests kgen_fake_${fake})
endforeach()
target_sources(kgen_fake_cuda PRIVATE
    support/fake_cuda.cpp
    support/fake_cuda_graphs.cpp
    support/fake_cuda_kernels.cpp
    support/fake_cuda_peers.cpp
)
target_sources(kgen_fake_nvrtc PRIVATE support/fake_cuda_nvrtc.cpp)
target_link_options(kgen_fake_nvrtc PRIVATE -Wl,--build-id=none)
foreach(program IN ITEMS kgen_tests kgen_thread_tests)
    target_compile_definitions(${program} PRIVATE
        KGEN_FAKE_CUDA="$<TARGET_FILE:kgen_fake_cuda>"
        KGEN_FAKE_NVRTC="$<TARGET_FILE:kgen_fake_nvrtc>")
endforeach()
