// SPDX-License-Identifier: Apache-2.0
// Linked into `harm`, and by itself a library that calls CUDA when it is loaded, so that any program can be
// one that is recorded: bash, perl, node. Python and Java call it by name.
#include <cstddef>
#include <cstring>

extern "C" {
int cudaMalloc(void** pointer, std::size_t bytes);
int cudaFree(void* pointer);
int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind);
int cudaDeviceSynchronize();
int call_cuda();                       // NOLINT(readability-identifier-naming): as ctypes knows it
int Java_CallsCuda_call(void*, void*); // NOLINT(readability-identifier-naming): as Java looks for it
}

namespace ringside::harm {

bool callCuda()
{
    constexpr int kToDevice = 1;
    constexpr int kToHost = 2;
    const char sent[] = "what is copied to the device comes back";
    char received[sizeof sent] = {};
    void* memory = nullptr;
    return cudaMalloc(&memory, sizeof sent) == 0 && cudaMemcpy(memory, sent, sizeof sent, kToDevice) == 0 &&
           cudaMemcpy(received, memory, sizeof sent, kToHost) == 0 && cudaDeviceSynchronize() == 0 &&
           cudaFree(memory) == 0 && std::memcmp(sent, received, sizeof sent) == 0;
}

} // namespace ringside::harm

int call_cuda()
{
    return ringside::harm::callCuda() ? 1 : 0;
}

int Java_CallsCuda_call(void* /*environment*/, void* /*self*/)
{
    return call_cuda();
}
