// SPDX-License-Identifier: MIT

// nvJitLink 13.0 leaks some memory when a link fails.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT: LeakSanitizer's name
    return "leak:libnvJitLink\n";
}
// glibc frees the thread-local memory of ended threads under locks that ThreadSanitizer does not see.
extern "C" const char* __tsan_default_suppressions() {  // NOLINT: ThreadSanitizer's name
    return "race:_dl_deallocate_tls\n";
}

#ifdef KGEN_CATCH2_V3
#include <catch2/catch_session.hpp>
int main(int argc, char** argv) {
    return Catch::Session().run(argc, argv);
}
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
