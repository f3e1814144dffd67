// SPDX-License-Identifier: MIT
//
// A fake NVRTC that compiles nothing, for tests that the real NVRTC cannot serve. FAKE_NVRTC_VERSION sets its
// version (13.0 by default), and FAKE_NVRTC_RESULT the result of a compile. If FAKE_NVRTC_LOG is set, its log
// has one line for each of its inputs. It is linked without a build-id.
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

thread_local std::string given;

std::string told() {
    return std::getenv("FAKE_NVRTC_LOG") == nullptr ? std::string() : given;
}

}  // namespace

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
EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram*,
                                      const char* source,
                                      const char* name,
                                      int headers,
                                      const char* const* texts,
                                      const char* const* names) {
    given = std::string("name ") + name + "\nsource " + source + "\n";
    for (int k = 0; k < headers; ++k)
        given += std::string("header ") + names[k] + " " + texts[k] + "\n";
    return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram, const char* expression) {
    given += std::string("expression ") + expression + "\n";
    return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetLoweredName(nvrtcProgram, const char*, const char** name) {
    return *name = "lowered", NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram*) {
    return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram, int count, const char* const* options) {
    for (int k = 0; k < count; ++k) given += std::string("option ") + options[k] + "\n";
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
EXPORT nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram, size_t* size) {
    return *size = 0, NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetLTOIR(nvrtcProgram, char*) {
    return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, size_t* size) {
    return *size = told().size() + 1, NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char* log) {
    const std::string text = told();
    return std::memcpy(log, text.c_str(), text.size() + 1), NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    return *count = 1, NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetSupportedArchs(int* archs) {
    return *archs = 90, NVRTC_SUCCESS;
}
