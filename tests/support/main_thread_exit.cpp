// SPDX-License-Identifier: MIT
//
// A program whose main thread calls pthread_exit() while another thread goes on to use kgen on the host, with
// kernels of all the host's threads.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <kgen/kgen.hpp>
#include <thread>

namespace {

// After the end of the main thread, /proc/self has no open files any more.
void wait_for_end_of_main() {
    while (::access("/proc/self/fd/1", F_OK) == 0) ::usleep(1000);
}

void use_kgen() {
    wait_for_end_of_main();
    try {
        const kgen::Array x = kgen::full({1 << 20}, 2, kgen::float32);
        const kgen::ElementwiseKernel twice("float32 x", "float32 z", "z = 2 * x", "after_main");
        std::printf("%s\n", kgen::to_text(twice(x)[12345]).c_str());
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
    }
    std::fflush(stdout);
}

}  // namespace

int main() {
    kgen::set_current_device(kgen::Device::host());
    const kgen::Array x = kgen::full({1 << 20}, 1, kgen::float32);
    kgen::ElementwiseKernel("float32 x", "float32 z", "z = x + 1", "before_end")(x);
    std::thread([] {
        kgen::set_current_device(kgen::Device::host());
        use_kgen();
    }).detach();
    ::pthread_exit(nullptr);
}
