// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime's ABI that the collector needs. The collector always uses these
// declarations, so that it builds without the toolkit. If the toolkit is there, the target
// check_signatures compares every intercepted function with the vendor's header.
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" {
using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaKernel_t = struct CUkern_st*;
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;
using cudaGraphNode_t = struct CUgraphNode_st*;
struct cudaGraphEdgeData_st;
using cudaGraphEdgeData = cudaGraphEdgeData_st;
struct cudaGraphInstantiateParams_st;
using cudaGraphInstantiateParams = cudaGraphInstantiateParams_st;
struct cudaGraphExecUpdateResultInfo_st;
using cudaGraphExecUpdateResultInfo = cudaGraphExecUpdateResultInfo_st;
struct cudaLaunchConfig_st;
using cudaLaunchConfig_t = cudaLaunchConfig_st;
using cudaMemPool_t = struct CUmemPoolHandle_st*;
using cudaArray_t = struct cudaArray*;
using cudaHostFn_t = void (*)(void* userData);

enum cudaError : int { cudaSuccess = 0, cudaErrorNotReady = 600, cudaErrorNotSupported = 801 };
using cudaError_t = cudaError;
enum cudaStreamCaptureMode : unsigned { cudaStreamCaptureModeRelaxed = 2 };
enum cudaStreamCaptureStatus : unsigned {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1
};
enum cudaMemcpyKind : unsigned { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToDevice = 3 };

enum : unsigned { cudaStreamNonBlocking = 1 };

using cudaStreamCallback_t = void (*)(cudaStream_t stream, cudaError_t status, void* userData);

struct dim3 {
    unsigned x, y, z;
};
struct cudaMemLocation {
    int type, id;
};
struct cudaPos {
    std::size_t x, y, z;
};
struct cudaExtent {
    std::size_t width, height, depth;
};
struct cudaPitchedPtr {
    void* ptr;
    std::size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    int dstDevice;
    cudaExtent extent;
};
}
#include "abi/cuda_layouts.h"

namespace ringside::collector::abi {

/// The first members of cudaDeviceProp, which are the same in CUDA 11 to 13. The runtime writes about 1
/// KiB: pass a buffer of kBytes.
struct DevicePropertiesPrefix {
    static constexpr std::size_t kBytes = 8192;
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    std::size_t totalGlobalMem;
};

} // namespace ringside::collector::abi
