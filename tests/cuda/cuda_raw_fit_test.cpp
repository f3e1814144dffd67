// SPDX-License-Identifier: MIT
//
// Tests of what fits on a GPU, on the fake CUDA driver (support/fake_cuda.hpp): clusters, cooperative grids,
// occupancy, and the attributes of kernels.
#include "support/fake_raw_kernels.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("clusters that cannot be are refused", "[cuda][raw]") {
    RawFixture f;
    CHECK(f.refusal("empty", {.grid = {5}, .cluster = {2}}) ==
          "kernel 'empty': cluster (2, 1, 1) does not divide the grid (5, 1, 1)");
    CHECK(f.refusal("empty", {.grid = {4, 3}, .cluster = {1, 2}}) ==
          "kernel 'empty': cluster (1, 2, 1) does not divide the grid (4, 3, 1)");
    CHECK(f.refusal("empty", {.cluster = {0}}) ==
          "kernel 'empty': cluster (0, 1, 1): an extent is 0, expected at least 1");
    CHECK(f.refusal("empty", {.cluster = {1, 1, -2}}) ==
          "kernel 'empty': cluster (1, 1, -2): an extent is negative");
    CHECK(f.refusal("empty", {.grid = {32}, .cluster = {8, 4}}) ==
          "kernel 'empty': cluster (8, 4, 1): got 32 blocks, expected at most 16");
    CHECK(f.fake.calls("cuOccupancyMaxActiveClusters") == 0);
}

TEST_CASE("clusters of more than 8 blocks are allowed by themselves, and must fit", "[cuda][raw]") {
    RawFixture f;
    f.fake.record().largest_cluster = 16;
    f.launch("empty", {.grid = {16}, .cluster = {16}});
    f.launch("empty", {.grid = {32}, .cluster = {16}});
    CHECK(is(f.seen().cluster, 16, 1, 1));
    CHECK(f.fake.calls("cuFuncSetAttribute") == 1);
    CHECK(f.fake.calls("cuOccupancyMaxActiveClusters") == 1);
    f.fake.record().largest_cluster = 8;
    CHECK(
        f.refusal("large", {.grid = {16}, .block = {512}, .shared_bytes = 1000, .cluster = {16}}) ==
        "kernel 'large': cluster (16, 1, 1): 16 blocks of 512 threads and 1000 bytes of shared "
        "memory do not fit into a cluster of cuda:0, at most 8");
    // The second launch is refused without asking the driver again.
    CHECK(f.refusal("large",
                    {.grid = {16}, .block = {512}, .shared_bytes = 1000, .cluster = {16}}) != "");
    CHECK(f.fake.calls("cuOccupancyMaxActiveClusters") == 2);
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuOccupancyMaxPotentialClusterSize:1");
    CHECK(
        f.refusal("large", {.grid = {16}, .block = {512}, .shared_bytes = 1000, .cluster = {16}}) ==
        "kernel 'large': cluster (16, 1, 1): 16 blocks of 512 threads and 1000 bytes of shared "
        "memory do not fit into a cluster of cuda:0");
}

TEST_CASE("a kernel that was compiled for a cluster keeps it", "[cuda][raw]") {
    RawFixture f;
    f.launch("clustered", {.grid = {4}});
    CHECK(is(f.seen().cluster, 0, 0, 0));  // the driver knows the cluster of the kernel
    f.launch("clustered", {.grid = {4}, .cluster = {2}});
    CHECK(f.launches() == 2);
    CHECK(f.refusal("clustered", {.grid = {4}, .cluster = {4}}) ==
          "kernel 'clustered': cluster (4, 1, 1): the kernel was compiled for (2, 1, 1) "
          "(__cluster_dims__)");
    CHECK(f.refusal("clustered", {.grid = {3}}) ==
          "kernel 'clustered': cluster (2, 1, 1) does not divide the grid (3, 1, 1)");
}

TEST_CASE("a kernel that is compiled for any cluster is always told one", "[cuda][raw]") {
    RawFixture f;
    f.launch("open", {.grid = {3}});
    CHECK(is(f.seen().cluster, 1, 1, 1));
}

TEST_CASE("what an older GPU has not is refused", "[cuda][raw]") {
    const ScopedVariable older("FAKE_CUDA_CAPABILITY", "80");
    RawFixture f;
    CHECK(f.refusal("empty", {.grid = {2}, .cluster = {2}}) ==
          "kernel 'empty': cluster (2, 1, 1): clusters need sm_90 or newer, cuda:0 is sm_80");
    CHECK(f.refusal("empty", {.programmatic_dependent = true}) ==
          "kernel 'empty': a programmatic dependent launch needs sm_90 or newer, cuda:0 is sm_80");
    f.launch("empty", {.cooperative = true});
    CHECK(f.launches() == 1);
    const ScopedVariable none("FAKE_CUDA_COOPERATIVE", "0");
    RawFixture other;
    CHECK(other.refusal("empty", {.cooperative = true}) ==
          "kernel 'empty': cuda:0 does not support cooperative launches");
}

TEST_CASE("a cooperative grid holds no more blocks than run at once", "[cuda][raw]") {
    RawFixture f;
    f.launch("empty", {.grid = {1056}, .block = {16, 16}, .cooperative = true});
    CHECK(f.refusal("empty", {.grid = {529, 2}, .block = {256}, .cooperative = true}) ==
          "kernel 'empty': 1058 blocks (529, 2, 1) of 256 threads in a cooperative grid, cuda:0 "
          "holds at most 1056 of them at once");
    // Fewer blocks fit in clusters: 66 clusters of 2 blocks.
    CHECK(
        f.refusal("empty", {.grid = {134}, .block = {256}, .cluster = {2}, .cooperative = true}) ==
        "kernel 'empty': 134 blocks (134, 1, 1) of 256 threads in a cooperative grid, cuda:0 "
        "holds at most 132 of them at once");
}

TEST_CASE("what fits is asked once, until a setting of the kernel changes", "[cuda][raw]") {
    RawFixture f;
    const LaunchConfig config = {.grid = {8}, .block = {256}, .cooperative = true};
    const auto asked = [&] { return f.fake.calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"); };
    for (int k = 0; k < 5; ++k) f.launch("empty", config);
    CHECK(asked() == 1);
    f.launch("empty", {.grid = {8}, .block = {128}, .cooperative = true});
    f.launch("large", config);
    CHECK(asked() == 3);
    f.raw.set(*f.kernel("empty"), KernelSetting::shared_carveout, 50, "empty");
    f.launch("empty", config);
    f.launch("empty", config);
    CHECK(asked() == 4);
}

TEST_CASE("more kinds of launches than are remembered still work", "[cuda][raw]") {
    RawFixture f;
    for (int round = 0; round < 2; ++round) {
        for (int threads = 1; threads <= 100; ++threads)
            f.launch("empty", {.grid = {8}, .block = {threads}, .cooperative = true});
    }
    CHECK(f.launches() == 200);
    CHECK(f.fake.calls("cuOccupancyMaxActiveBlocksPerMultiprocessor") < 200);
}

TEST_CASE("attributes are as the driver says, settings change them", "[cuda][raw]") {
    RawFixture f;
    const auto large = f.kernel("large");
    KernelAttributes told = f.raw.attributes(*large);
    CHECK(told.max_threads_per_block == 640);
    CHECK(told.registers == 96);
    CHECK(told.ptx_version == 90);
    CHECK(told.binary_version == 90);
    CHECK(told.max_dynamic_shared_bytes == 49152);
    CHECK(told.shared_carveout == -1);
    f.raw.set(*large, KernelSetting::max_dynamic_shared_bytes, 100000, "large");
    f.raw.set(*large, KernelSetting::shared_carveout, 75, "large");
    told = f.raw.attributes(*large);
    CHECK(told.max_dynamic_shared_bytes == 100000);
    CHECK(told.shared_carveout == 75);
    CHECK(f.raw.attributes(*f.kernel("sharing")).shared_bytes == 1024);
    // A launch raises a limit that was set too low.
    f.raw.set(*large, KernelSetting::max_dynamic_shared_bytes, 0, "large");
    f.launch("large", {.shared_bytes = 2000});
    CHECK(f.raw.attributes(*large).max_dynamic_shared_bytes == 2000);
}

TEST_CASE("settings that cannot be are refused", "[cuda][raw]") {
    RawFixture f;
    const auto set = [&](KernelSetting setting, int value) {
        return KGEN_MESSAGE_OF(DeviceError,
                               f.raw.set(*f.kernel("sharing"), setting, value, "sharing"));
    };
    CHECK(set(KernelSetting::max_dynamic_shared_bytes, 232448) ==
          "kernel 'sharing': 232448 bytes of shared memory and 1024 static bytes, cuda:0 has at "
          "most 232448");
    CHECK(set(KernelSetting::shared_carveout, 101) ==
          "kernel 'sharing': 101 percent of the L1 as shared memory: expected 0 to 100, or -1 for "
          "the driver's choice");
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuFuncSetAttribute:1");
    CHECK(
        set(KernelSetting::shared_carveout, 50) ==
        "kernel 'sharing' on cuda:0: cuFuncSetAttribute failed: CUDA_ERROR_INVALID_VALUE (invalid "
        "argument)");
}

TEST_CASE("occupancy is as the driver says, 0 for blocks that cannot be", "[cuda][raw]") {
    RawFixture f;
    const auto large = f.kernel("large");
    CHECK(f.raw.max_blocks_per_multiprocessor(*large, 256, 0) == 8);
    CHECK(f.raw.max_blocks_per_multiprocessor(*large, 1024, 0) == 0);
    CHECK(f.raw.max_blocks_per_multiprocessor(*large, 32, 300000) == 0);
    CHECK(f.fake.calls("cuFuncSetAttribute") == 0);
    CHECK(f.raw.max_blocks_per_multiprocessor(*large, 32, 200000) == 64);
    CHECK(f.fake.calls("cuFuncSetAttribute") == 1);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.raw.max_blocks_per_multiprocessor(*large, 0, 0)) ==
          "kernel 'large': 0 threads in a block with 0 bytes of shared memory: expected at least 1 "
          "thread and 0 bytes");
    const SuggestedLaunch suggested = f.raw.suggested_launch(*large, 0, 0);
    CHECK(suggested.block == 768);
    CHECK(suggested.grid == 264);
    CHECK(f.raw.suggested_launch(*large, 0, 256).block == 256);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.raw.suggested_launch(*large, 0, -1)) ==
          "kernel 'large': at most -1 threads in a block: expected 0 or more");
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.raw.suggested_launch(*large, 300000, 0)) ==
          "kernel 'large': 300000 bytes of shared memory, cuda:0 has at most 232448");
}

TEST_CASE("clusters are counted for the whole GPU, whatever the grid", "[cuda][raw]") {
    RawFixture f;
    const auto empty = f.kernel("empty");
    CHECK(f.raw.max_clusters(*empty, {.grid = {3}, .block = {128}, .cluster = {4}}) == 33);
    CHECK(f.raw.max_clusters(*empty, {.block = {128}, .cluster = {16}}) == 0);
    CHECK(f.raw.max_clusters(*empty, {.block = {128}}) == 132);
    CHECK(f.raw.max_clusters(*f.kernel("clustered"), {.block = {128}}) == 66);
    CHECK(KGEN_MESSAGE_OF(DeviceError,
                          f.raw.max_clusters(*empty, {.block = {2048}, .cluster = {2}})) ==
          "kernel 'empty': block (2048, 1, 1): 2048 threads along x, cuda:0 has at most 1024");
}
