// SPDX-License-Identifier: Apache-2.0
// Kernel launch and the emulated cuBLAS.
#include "kernels.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace ringside::test;

struct DeviceFloats {
    explicit DeviceFloats(const std::vector<float>& values) : count(values.size())
    {
        cudaMalloc(&data, count * sizeof(float));
        cudaMemcpy(data, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    }
    ~DeviceFloats() { cudaFree(data); }
    DeviceFloats(const DeviceFloats&) = delete;
    DeviceFloats& operator=(const DeviceFloats&) = delete;
    [[nodiscard]] std::vector<float> get() const
    {
        std::vector<float> values(count);
        cudaMemcpy(values.data(), data, count * sizeof(float), cudaMemcpyDeviceToHost);
        return values;
    }
    std::size_t count;
    float* data = nullptr;
};

TEST(Kernel, runsItsHostVersionOverAllElements)
{
    const DeviceFloats values(std::vector<float>(1000, 2));
    EXPECT_EQ(launchScale(values.data, 1.5F, 1000, nullptr), cudaSuccess);
    EXPECT_EQ(values.get(), std::vector<float>(1000, 3));
}

TEST(Kernel, withoutAHostVersionWarnsOnceAndDoesNothing)
{
    testing::internal::CaptureStderr();
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(cudaLaunchKernel(missingKernel(), dim3(1), dim3(1), nullptr, 0, nullptr), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("kernel 'no_such_host_version' has no host version"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST(Kernel, refusesUnregisteredKernelsAndImpossibleShapes)
{
    const int unknown = 0;
    EXPECT_EQ(cudaLaunchKernel(&unknown, dim3(1), dim3(1), nullptr, 0, nullptr),
              cudaErrorInvalidDeviceFunction);
    EXPECT_EQ(cudaLaunchKernel(scaleKernel(), dim3(1), dim3(2048), nullptr, 0, nullptr),
              cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaLaunchKernel(scaleKernel(), dim3(0), dim3(1), nullptr, 0, nullptr),
              cudaErrorInvalidConfiguration);
    cudaGetLastError();
}

TEST(Kernel, whatIsNotEmulatedIsReportedOnce)
{
    using Function = cudaError_t (*)();
    auto* stub = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "cudaArrayGetInfo"));
    ASSERT_NE(stub, nullptr);
    testing::internal::CaptureStderr();
    EXPECT_EQ(stub(), cudaErrorNotSupported);
    EXPECT_EQ(stub(), cudaErrorNotSupported);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "ringside cpu platform: cudaArrayGetInfo is not emulated: it fails with status 801\n");
}

TEST(Cublas, multipliesColumnMajorMatricesOnItsStream)
{
    // [1 3; 2 4] x [5 7; 6 8] = [23 31; 34 46], columns first; the transposes are checked by T(A) x B.
    const DeviceFloats a({1, 2, 3, 4});
    const DeviceFloats b({5, 6, 7, 8});
    const DeviceFloats c({1, 1, 1, 1});
    cublasHandle_t handle = nullptr;
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    cudaStreamCreate(&stream);
    cublasSetStream(handle, stream);
    const float one = 1;
    const float none = 0;
    EXPECT_EQ(
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a.data, 2, b.data, 2, &none, c.data, 2),
        CUBLAS_STATUS_SUCCESS);
    cudaStreamSynchronize(stream);
    EXPECT_EQ(c.get(), (std::vector<float>{23, 34, 31, 46}));
    EXPECT_EQ(
        cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, &one, a.data, 2, b.data, 2, &one, c.data, 2),
        CUBLAS_STATUS_SUCCESS);
    cudaStreamSynchronize(stream);
    EXPECT_EQ(c.get(), (std::vector<float>{23 + 17, 34 + 39, 31 + 23, 46 + 53}));
    EXPECT_EQ(
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a.data, 1, b.data, 2, &none, c.data, 2),
        CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(
        cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a.data, 2, b.data, 2, &none, c.data, 2),
        CUBLAS_STATUS_NOT_INITIALIZED);
    cublasDestroy(handle);
    cudaStreamDestroy(stream);
}

} // namespace
