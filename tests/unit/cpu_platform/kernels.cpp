// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#include <dlfcn.h>

extern "C" {
void** __cudaRegisterFatBinary(void* fatBinary);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* hostFunction, char* deviceFunction,
                            const char* deviceName, int threadLimit, uint3* thread, uint3* block,
                            dim3* blockSize, dim3* gridSize, int* warpSize);

// Host versions, as the trainer's macro writes them.
__attribute__((visibility("default"))) extern const unsigned ringside_cpu_args_scale[] = {
    3, sizeof(float*), sizeof(float), sizeof(int)};
__attribute__((visibility("default"))) void ringside_cpu_kernel_scale(void** arguments, unsigned begin,
                                                                      unsigned end)
{
    float* values = *static_cast<float**>(arguments[0]);
    const float factor = *static_cast<float*>(arguments[1]);
    const auto count = static_cast<unsigned>(*static_cast<int*>(arguments[2]));
    for (unsigned i = begin; i < end && i < count; ++i)
        values[i] *= factor;
}
// 1000 operations an element, so that tests can tell a modelled duration from a coincidence.
__attribute__((visibility("default"))) void ringside_cpu_cost_scale(void**, unsigned threads, double* flops,
                                                                    double* bytes)
{
    *flops = 1000.0 * threads;
    *bytes = 0;
}
}

namespace ringside::test {
namespace {

const char scaleAddress = 0;
const char missingAddress = 0;

void registerAll()
{
    static const bool registered = [] {
        void** module = __cudaRegisterFatBinary(nullptr);
        const auto add = [module](const char& address, const char* name) {
            __cudaRegisterFunction(module, &address, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr,
                                   nullptr);
        };
        add(scaleAddress, "scale");
        add(missingAddress, "no_such_host_version");
        __cudaRegisterFatBinaryEnd(module);
        return true;
    }();
    static_cast<void>(registered);
}

} // namespace

const void* scaleKernel()
{
    registerAll();
    return &scaleAddress;
}

const void* missingKernel()
{
    registerAll();
    return &missingAddress;
}

cudaError_t launchScale(float* values, float factor, int count, cudaStream_t stream)
{
    void* arguments[] = {&values, &factor, &count};
    const auto blocks = static_cast<unsigned>((count + 255) / 256);
    return cudaLaunchKernel(scaleKernel(), dim3(blocks), dim3(256), arguments, 0, stream);
}

} // namespace ringside::test
