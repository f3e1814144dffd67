// SPDX-License-Identifier: MIT
//
// Measures by NCCL's and CUDA's own calls what sharded_arrays.cpp measures in kgen, as a program for two or more GPUs would
// write it by hand. One thread has all GPUs; with RANK, WORLD_SIZE and NCCL_ID_FILE each process has one.
//
//     nvcc -O2 -std=c++20 -arch=native benchmarks/sharded/nccl_program.cu -lnccl -o nccl_program
#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

void check(cudaError_t result, const char* call) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "nccl_program: %s: %s\n", call, cudaGetErrorString(result));
    std::exit(1);
}
void check(ncclResult_t result, const char* call) {
    if (result == ncclSuccess) return;
    std::fprintf(stderr, "nccl_program: %s: %s\n", call, ncclGetErrorString(result));
    std::exit(1);
}
#define CHECK(call) check(call, #call)

// One GPU of this process.
struct Rank {
    int rank;
    int gpu;
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr;
    float* memory = nullptr;  // float32 of 1
    float* target = nullptr;
    float* packed = nullptr;
    void* scratch = nullptr;
    std::size_t scratch_bytes = 0;
};

constexpr std::size_t gib = std::size_t{1} << 28;  // elements of float32

struct Program {
    std::vector<Rank> ranks;
    int size = 0;

    template <typename Call>
    void each(const Call& call) {
        for (Rank& rank : ranks) {
            CHECK(cudaSetDevice(rank.gpu));
            call(rank);
        }
    }
    template <typename Call>
    void group(const Call& call) {
        CHECK(ncclGroupStart());
        for (Rank& rank : ranks) call(rank);
        CHECK(ncclGroupEnd());
    }
    void settle() {
        group([](Rank& rank) {
            CHECK(ncclAllReduce(
                rank.packed, rank.packed, 1, ncclFloat, ncclMax, rank.comm, rank.stream));
        });
        finish();
    }
    void finish() {
        each([](Rank& rank) { CHECK(cudaStreamSynchronize(rank.stream)); });
    }

    template <typename Call>
    double time_us(int calls, const Call& call) {
        std::vector<double> times;
        for (int batch = -2; batch < 7; ++batch) {
            settle();
            const auto start = std::chrono::steady_clock::now();
            for (int k = 0; k < calls; ++k) call();
            finish();
            const std::chrono::duration<double, std::micro> took =
                std::chrono::steady_clock::now() - start;
            if (batch >= 0) times.push_back(took.count() / calls);
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }
    void tell(const char* name, double us, double bytes = 0) const {
        if (ranks[0].rank != 0) return;
        std::printf("%-44s %12.2f us", name, us);
        if (bytes > 0) std::printf("  %.1f GB/s", bytes / us / 1e3);
        std::printf("\n");
    }

    // Rows of this rank, of which each other rank gets its columns.
    void turn() {
        const std::size_t side = 16384, columns = side / static_cast<std::size_t>(size);
        each([&](Rank& rank) {
            for (int peer = 0; peer < size; ++peer) {
                const bool is_own = peer == rank.rank;
                float* to = is_own ? rank.target + static_cast<std::size_t>(peer) * side * columns
                                   : rank.packed + static_cast<std::size_t>(peer) * side * columns;
                CHECK(cudaMemcpy2DAsync(to,
                                        columns * 4,
                                        rank.memory + static_cast<std::size_t>(peer) * columns,
                                        side * 4,
                                        columns * 4,
                                        side,
                                        cudaMemcpyDeviceToDevice,
                                        rank.stream));
            }
        });
        group([&](Rank& rank) {
            for (int peer = 0; peer < size; ++peer) {
                if (peer == rank.rank) continue;
                const std::size_t at = static_cast<std::size_t>(peer) * side * columns;
                CHECK(ncclSend(
                    rank.packed + at, side * columns, ncclFloat, peer, rank.comm, rank.stream));
                CHECK(ncclRecv(
                    rank.target + at, side * columns, ncclFloat, peer, rank.comm, rank.stream));
            }
        });
    }

    void neighbours(std::size_t width) {
        group([&](Rank& rank) {
            for (const int step : {-1, 1}) {
                const int peer = rank.rank + step;
                if (peer < 0 || peer >= size) continue;
                CHECK(ncclSend(rank.memory, width, ncclFloat, peer, rank.comm, rank.stream));
                CHECK(ncclRecv(rank.target + (step > 0 ? width : 0),
                               width,
                               ncclFloat,
                               peer,
                               rank.comm,
                               rank.stream));
            }
        });
    }

    void sum(std::size_t elements) {
        each([&](Rank& rank) {
            CHECK(cub::DeviceReduce::Sum(
                rank.scratch, rank.scratch_bytes, rank.memory, rank.packed, elements, rank.stream));
        });
        group([](Rank& rank) {
            CHECK(ncclAllReduce(
                rank.packed, rank.target, 1, ncclFloat, ncclSum, rank.comm, rank.stream));
        });
    }

    void measure() {
        const double others = static_cast<double>(size - 1);
        const double bytes = 4.0 * static_cast<double>(gib);
        each([&](Rank& rank) {
            CHECK(cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking));
            CHECK(cudaMalloc(&rank.memory, 4 * gib * 4));
            CHECK(cudaMalloc(&rank.target, gib * 4 * static_cast<std::size_t>(size)));
            CHECK(cudaMalloc(&rank.packed, gib * 4));
            CHECK(cudaMemset(rank.memory, 0x3f, 4 * gib * 4));
            CHECK(cub::DeviceReduce::Sum(
                nullptr, rank.scratch_bytes, rank.memory, rank.packed, 4 * gib, rank.stream));
            CHECK(cudaMalloc(&rank.scratch, rank.scratch_bytes));
        });
        tell("cub sum and ncclAllReduce, 4 GiB a GPU", time_us(5, [&] { sum(4 * gib); }));
        tell("cub sum and ncclAllReduce, 4 MiB a GPU", time_us(50, [&] { sum(1 << 20); }));
        const double turn_us = time_us(5, [&] { turn(); });
        tell("NCCL rows to columns, 1 GiB a GPU", turn_us, bytes * others / size);
        const double all_us = time_us(5, [&] {
            group([](Rank& rank) {
                CHECK(ncclAllGather(
                    rank.memory, rank.target, gib, ncclFloat, rank.comm, rank.stream));
            });
        });
        tell("ncclAllGather, 1 GiB a GPU", all_us, bytes * others);
        tell("NCCL neighbours, rows of 4 KiB", time_us(100, [&] { neighbours(1024); }));
        const double wide_us = time_us(100, [&] { neighbours(1 << 20); });
        tell("NCCL neighbours, rows of 4096 KiB", wide_us, 4.0 * (1 << 20));
    }
};

ncclUniqueId shared_id(int rank, const std::string& file) {
    ncclUniqueId id;
    if (rank == 0) {
        CHECK(ncclGetUniqueId(&id));
        std::ofstream(file + ".new", std::ios::binary).write(id.internal, sizeof id.internal);
        std::rename((file + ".new").c_str(), file.c_str());
        return id;
    }
    for (;;) {
        std::ifstream in(file, std::ios::binary);
        if (in.read(id.internal, sizeof id.internal)) return id;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

}  // namespace

int main() {
    Program program;
    int gpus = 0;
    CHECK(cudaGetDeviceCount(&gpus));
    if (const char* rank = std::getenv("RANK")) {
        program.size = std::atoi(std::getenv("WORLD_SIZE"));
        Rank own{.rank = std::atoi(rank), .gpu = std::atoi(rank) % gpus};
        CHECK(cudaSetDevice(own.gpu));
        CHECK(ncclCommInitRank(
            &own.comm, program.size, shared_id(own.rank, std::getenv("NCCL_ID_FILE")), own.rank));
        program.ranks.push_back(own);
    } else {
        program.size = gpus;
        std::vector<ncclComm_t> comms(static_cast<std::size_t>(gpus));
        CHECK(ncclCommInitAll(comms.data(), gpus, nullptr));
        for (int gpu = 0; gpu < gpus; ++gpu)
            program.ranks.push_back(
                {.rank = gpu, .gpu = gpu, .comm = comms[static_cast<std::size_t>(gpu)]});
    }
    program.measure();
}
