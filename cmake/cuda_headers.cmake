# Finds cuda.h and nvrtc.h of CUDA 12.4 or newer. Only the headers are needed, because the driver and NVRTC are
# opened at run time. Sets KGEN_CUDA_INCLUDE_DIR, or leaves it empty and prints the reason.
find_path(KGEN_CUDA_INCLUDE_DIR NAMES cuda.h
    HINTS $ENV{CUDA_PATH} $ENV{CUDA_HOME} /usr/local/cuda PATH_SUFFIXES include
    DOC "Folder of cuda.h and nvrtc.h, CUDA 12.4 or newer")
set(kgen_cuda_absence "")
if(NOT KGEN_CUDA_INCLUDE_DIR)
    set(kgen_cuda_absence "no cuda.h was found (looked in CUDA_PATH, CUDA_HOME, /usr/local/cuda and the system)")
elseif(NOT EXISTS ${KGEN_CUDA_INCLUDE_DIR}/nvrtc.h)
    set(kgen_cuda_absence "${KGEN_CUDA_INCLUDE_DIR} has cuda.h but no nvrtc.h")
else()
    file(STRINGS ${KGEN_CUDA_INCLUDE_DIR}/cuda.h kgen_cuda_line REGEX "^#define CUDA_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+$" kgen_cuda_version "${kgen_cuda_line}")
    if(kgen_cuda_version LESS 12040)
        set(kgen_cuda_absence "${KGEN_CUDA_INCLUDE_DIR} has CUDA ${kgen_cuda_version}, expected 12.4 (12040) or newer")
    endif()
endif()
if(kgen_cuda_absence)
    set(KGEN_CUDA_INCLUDE_DIR "")
    message(STATUS "kgen: building without GPU support, only with the host device: ${kgen_cuda_absence}; "
        "install the CUDA toolkit's headers and set CUDA_PATH for GPUs")
else()
    message(STATUS "kgen: CUDA ${kgen_cuda_version} headers in ${KGEN_CUDA_INCLUDE_DIR}")
endif()
