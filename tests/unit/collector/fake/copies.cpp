// SPDX-License-Identifier: Apache-2.0
// The program of cuda_table_test: calls of the CUDA runtime whose arguments are structures, by value and by
// pointer, or differ between versions of CUDA.
#include "abi/cuda.h"

extern "C" {
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream);
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p);
cudaError_t cudaMemset3D(cudaPitchedPtr where, int value, cudaExtent extent);
cudaError_t cudaMemcpyToSymbol(const void*, const void*, size_t count, size_t offset, cudaMemcpyKind kind);
cudaError_t cudaMemPrefetchAsync(const void*, size_t count, int device, cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync_ptsz(const void*, size_t count, cudaMemLocation location, unsigned flags,
                                      cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
}

int main()
{
    auto* const stream = reinterpret_cast<cudaStream_t>(0x1005);
    cudaMemcpy3DParms copy{};
    copy.extent = {2, 3, 5};
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3DAsync(&copy, stream);
    copy.dstArray = reinterpret_cast<cudaArray_t>(0x2000);
    cudaMemcpy3DAsync(&copy, stream);
    cudaMemcpy3DPeerParms peer{};
    peer.srcDevice = 6;
    peer.dstDevice = 7;
    peer.extent = {10, 10, 10};
    cudaMemcpy3DPeer(&peer);
    cudaMemset3D({nullptr, 64, 0, 0}, 9, {7, 11, 13});
    cudaMemcpyToSymbol(nullptr, nullptr, 17, 4, cudaMemcpyHostToDevice);
    cudaMemPrefetchAsync(nullptr, 19, 3, stream);
    cudaMemPrefetchAsync_ptsz(nullptr, 23, {1, 2}, 3, stream);
    for (int poll = 0; poll < 1000; ++poll) {
        cudaEventQuery(nullptr);
    }
    cudaStreamWaitEvent(stream, nullptr, 0);
    return 0;
}
