// SPDX-License-Identifier: MIT
#include "cuda/kernel/cuda_raw_kernel.hpp"

namespace kgen {

namespace {

std::vector<KernelParameter> read_parameters(const DriverApi& api,
                                             CUkernel kernel,
                                             const std::string& symbol,
                                             std::string_view ptx) {
    std::vector<KernelParameter> table;
    KernelParameter each;
    const std::vector<PtxParameter> declared = ptx_parameters(ptx, symbol);
    // The driver does not return the number of parameters. If the PTX does not give it either, the loop ends
    // with an invalid index, an error that tools such as compute-sanitizer report.
    bool is_declared = !declared.empty();
    while ((!is_declared || table.size() < declared.size()) &&
           api.kernel_get_param_info(kernel, table.size(), &each.offset, &each.bytes) ==
               CUDA_SUCCESS) {
        // If the sizes differ, the PTX belongs to other code and is ignored.
        is_declared = is_declared && declared[table.size()].bytes == each.bytes;
        table.push_back(each);
    }
    if (declared.size() != table.size()) return table;
    for (std::size_t k = 0; k < table.size(); ++k) {
        if (declared[k].bytes != table[k].bytes) continue;
        table[k].kind = declared[k].kind;
        table[k].alignment = declared[k].alignment;
    }
    return table;
}

}  // namespace

int CudaRawKernel::attribute(const CudaContext& context, CUfunction_attribute which) const {
    int value = 0;
    context.check(context.api().function_get_attribute(&value, which, function),
                  "cuFuncGetAttribute");
    return value;
}

CUresult CudaRawKernel::allow_large_clusters(const DriverApi& api) const {
    if (allows_large_clusters_.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
    const CUresult result = api.function_set_attribute(
        function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (result == CUDA_SUCCESS) allows_large_clusters_.store(true, std::memory_order_relaxed);
    return result;
}

void CudaRawKernel::read_cluster(const CudaContext& context) {
    const auto extent = [&](CUfunction_attribute which) { return attribute(context, which); };
    if (const int x = extent(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH); x != 0) {
        required_cluster = {x,
                            extent(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
                            extent(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)};
    } else {
        must_be_given_cluster = extent(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) != 0;
    }
    brings_cluster_ = must_be_given_cluster || required_cluster != LaunchDims();
}

std::shared_ptr<const CudaRawKernel> read_raw_kernel(const CudaContext& context,
                                                     const CudaLaunchLimits& limits,
                                                     std::shared_ptr<const CudaLibrary> library,
                                                     CUkernel kernel,
                                                     CUfunction function,
                                                     const std::string& symbol,
                                                     std::string_view ptx) {
    auto loaded = std::make_shared<CudaRawKernel>();
    loaded->library = std::move(library);
    loaded->function = function;
    loaded->name = context.fault().intern(symbol);
    loaded->limits = &limits;
    loaded->table = read_parameters(context.api(), kernel, symbol, ptx);
    if (!loaded->table.empty())
        loaded->parameter_bytes = loaded->table.back().offset + loaded->table.back().bytes;
    const auto attribute = [&](CUfunction_attribute which) {
        return loaded->attribute(context, which);
    };
    loaded->most_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    loaded->registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
    loaded->shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    loaded->note_shared_bytes_limit(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
    if (limits.capability >= cluster_capability) loaded->read_cluster(context);
    return loaded;
}

}  // namespace kgen
