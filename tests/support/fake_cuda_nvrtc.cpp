// SPDX-License-Identifier: MIT
//
// An NVRTC that is of the version FAKE_NVRTC_VERSION ("12.3") and compiles nothing: for what a
// machine with the right NVRTC cannot show. It is linked without a build-id.
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT nvrtcResult nvrtcVersion(int* major, int* minor) {
    const char* version = std::getenv("FAKE_NVRTC_VERSION");
    return std::sscanf(version == nullptr ? "13.0" : version, "%d.%d", major, minor) == 2
               ? NVRTC_SUCCESS
               : NVRTC_ERROR_INVALID_INPUT;
}
EXPORT const char* nvrtcGetErrorString(nvrtcResult result) {
    if (result == NVRTC_ERROR_OUT_OF_MEMORY) return "NVRTC_ERROR_OUT_OF_MEMORY";
    return result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE ? "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"
                                                           : "NVRTC_ERROR_INTERNAL_ERROR";
}
EXPORT nvrtcResult nvrtcCreateProgram(
    nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*) {
    return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram*) {
    return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram, int, const char* const*) {
    const char* result = std::getenv("FAKE_NVRTC_RESULT");
    return static_cast<nvrtcResult>(result == nullptr ? 0 : std::atoi(result));
}
EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram, size_t* size) {
    return *size = 0, NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram, char*) {
    return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, size_t* size) {
    return *size = 0, NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char*) {
    return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, size_t* size) {
    return *size = 0, NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char*) {
    return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    return *count = 1, NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetSupportedArchs(int* archs) {
    return *archs = 90, NVRTC_SUCCESS;
}
