// SPDX-License-Identifier: Apache-2.0
// The emulated cuBLAS' matrix products of all types against a naive one in double. Matrices hold small whole
// numbers, whose products float sums exactly: so what is checked is the one rounding at the end, to the bit.
#include "narrow_float.h"

#include <cuda_runtime.h>

#include <cublas_v2.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace {

using ringside::platform::Bfloat16;
using ringside::platform::Half;

// A value of a type, written to memory or read from it as what it means.
void store(cudaDataType type, void* at, double value)
{
    const auto single = static_cast<float>(value);
    if (type == CUDA_R_64F) {
        std::memcpy(at, &value, sizeof value);
    } else if (type == CUDA_R_32F) {
        std::memcpy(at, &single, sizeof single);
    } else {
        const auto bits = type == CUDA_R_16F ? Half(single).bits : Bfloat16(single).bits;
        std::memcpy(at, &bits, sizeof bits);
    }
}

std::size_t sizeOf(cudaDataType type)
{
    return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

double load(cudaDataType type, const void* at)
{
    if (type == CUDA_R_64F)
        return *static_cast<const double*>(at);
    if (type == CUDA_R_32F)
        return static_cast<double>(*static_cast<const float*>(at));
    const auto bits = *static_cast<const std::uint16_t*>(at);
    return static_cast<double>(type == CUDA_R_16F ? static_cast<float>(Half::fromBits(bits))
                                                  : static_cast<float>(Bfloat16::fromBits(bits)));
}

double rounded(cudaDataType type, double value)
{
    alignas(8) std::byte memory[8];
    store(type, memory, value);
    return load(type, memory);
}

// A batch of column-major matrices in device memory, each `leading` x columns, with room between them.
struct Matrices {
    Matrices(cudaDataType of, int rows, int columns, int count)
        : type(of), leading(rows + 3), stride(static_cast<long long>(leading) * columns + 5), batches(count)
    {
        EXPECT_EQ(cudaMalloc(&data, sizeOf(type) * static_cast<std::size_t>(stride * batches)), cudaSuccess);
        EXPECT_EQ(cudaMalloc(&addresses, sizeof(void*) * static_cast<std::size_t>(batches)), cudaSuccess);
        for (int batch = 0; batch < batches; ++batch)
            addresses[batch] = at(batch, 0, 0);
    }
    ~Matrices()
    {
        cudaFree(data);
        cudaFree(addresses);
    }
    Matrices(const Matrices&) = delete;
    Matrices& operator=(const Matrices&) = delete;

    [[nodiscard]] std::byte* at(int batch, int row, int column) const
    {
        const auto offset = batch * stride + static_cast<long long>(column) * leading + row;
        return static_cast<std::byte*>(data) + static_cast<std::size_t>(offset) * sizeOf(type);
    }
    [[nodiscard]] double value(int batch, int row, int column) const
    {
        return load(type, at(batch, row, column));
    }
    template <class Random>
    void fill(Random&& random) const
    {
        for (long long i = 0; i < stride * batches; ++i)
            store(type, static_cast<std::byte*>(data) + static_cast<std::size_t>(i) * sizeOf(type), random());
    }

    cudaDataType type;
    int leading;
    long long stride;
    int batches;
    void* data = nullptr;
    void** addresses = nullptr; ///< in device memory, as the batched functions want them
};

struct Types {
    cudaDataType input;
    cudaDataType output;
    cublasComputeType_t compute;
    cudaDataType scale;
};
constexpr Types kTypes[] = {{CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
                            {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F},
                            {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F},
                            {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
                            {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F},
                            {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
                            {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F},
                            {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F}};
constexpr cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

struct Shape {
    cublasOperation_t opA;
    cublasOperation_t opB;
    int m;
    int n;
    int k;
};

struct CublasTest : testing::Test {
    CublasTest() { EXPECT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS); }
    ~CublasTest() override { cublasDestroy(handle); }
    // Whole numbers from -4 to 4.
    double small() { return static_cast<double>(static_cast<int>(random() % 9) - 4); }

    cublasHandle_t handle = nullptr;
    std::mt19937 random{7}; // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers in every run
};

double product(const Shape& shape, const Matrices& a, const Matrices& b, int batch, int row, int column)
{
    double sum = 0;
    for (int i = 0; i < shape.k; ++i)
        sum += (shape.opA == CUBLAS_OP_N ? a.value(batch, row, i) : a.value(batch, i, row)) *
               (shape.opB == CUBLAS_OP_N ? b.value(batch, i, column) : b.value(batch, column, i));
    return sum;
}

struct Operands {
    Operands(const Types& types, const Shape& shape, int batches)
        : a(types.input, shape.opA == CUBLAS_OP_N ? shape.m : shape.k,
            shape.opA == CUBLAS_OP_N ? shape.k : shape.m, batches)
        , b(types.input, shape.opB == CUBLAS_OP_N ? shape.k : shape.n,
            shape.opB == CUBLAS_OP_N ? shape.n : shape.k, batches)
        , c(types.output, shape.m, shape.n, batches)
    {}
    Matrices a;
    Matrices b;
    Matrices c;
};

// What C must be, computed before the call overwrites it.
std::vector<double> expectedOf(const Operands& of, const Shape& shape, double alpha, double beta)
{
    std::vector<double> expected;
    for (int batch = 0; batch < of.c.batches; ++batch)
        for (int column = 0; column < shape.n; ++column)
            for (int row = 0; row < shape.m; ++row) {
                const double before = beta == 0 ? 0 : beta * of.c.value(batch, row, column);
                expected.push_back(
                    rounded(of.c.type, alpha * product(shape, of.a, of.b, batch, row, column) + before));
            }
    return expected;
}

void expectResult(const Operands& of, const Shape& shape, const std::vector<double>& expected)
{
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    auto next = expected.begin();
    for (int batch = 0; batch < of.c.batches; ++batch)
        for (int column = 0; column < shape.n; ++column)
            for (int row = 0; row < shape.m; ++row)
                ASSERT_EQ(of.c.value(batch, row, column), *next++) << row << ',' << column << " of " << batch;
}

TEST_F(CublasTest, multipliesAllTypesInAllTranspositions)
{
    alignas(8) std::byte alpha[8];
    alignas(8) std::byte beta[8];
    for (const Types& types : kTypes)
        for (const cublasOperation_t opA : kOperations)
            for (const cublasOperation_t opB : kOperations) {
                const Shape shape{opA, opB, 13, 7, 33};
                const Operands of(types, shape, 1);
                for (const Matrices* matrix : {&of.a, &of.b, &of.c})
                    matrix->fill([this] { return small(); });
                store(types.scale, alpha, 0.75);
                store(types.scale, beta, -1.5);
                const auto expected = expectedOf(of, shape, 0.75, -1.5);
                ASSERT_EQ(cublasGemmEx(handle, opA, opB, 13, 7, 33, alpha, of.a.data, types.input,
                                       of.a.leading, of.b.data, types.input, of.b.leading, beta, of.c.data,
                                       types.output, of.c.leading, types.compute, CUBLAS_GEMM_DEFAULT),
                          CUBLAS_STATUS_SUCCESS);
                expectResult(of, shape, expected);
            }
}

TEST_F(CublasTest, multipliesBatchesByStrideAndByAddress)
{
    constexpr int kBatches = 3;
    alignas(8) std::byte alpha[8];
    alignas(8) std::byte beta[8];
    for (const Types& types : kTypes)
        for (const bool byAddress : {false, true}) {
            const Shape shape{CUBLAS_OP_N, CUBLAS_OP_T, 5, 9, 4};
            const Operands of(types, shape, kBatches);
            for (const Matrices* matrix : {&of.a, &of.b, &of.c})
                matrix->fill([this] { return small(); });
            store(types.scale, alpha, 1);
            store(types.scale, beta, 1);
            const auto expected = expectedOf(of, shape, 1, 1);
            const cublasStatus_t status =
                byAddress
                    ? cublasGemmBatchedEx(handle, shape.opA, shape.opB, 5, 9, 4, alpha, of.a.addresses,
                                          types.input, of.a.leading, of.b.addresses, types.input,
                                          of.b.leading, beta, of.c.addresses, types.output, of.c.leading,
                                          kBatches, types.compute, CUBLAS_GEMM_DEFAULT)
                    : cublasGemmStridedBatchedEx(handle, shape.opA, shape.opB, 5, 9, 4, alpha, of.a.data,
                                                 types.input, of.a.leading, of.a.stride, of.b.data,
                                                 types.input, of.b.leading, of.b.stride, beta, of.c.data,
                                                 types.output, of.c.leading, of.c.stride, kBatches,
                                                 types.compute, CUBLAS_GEMM_DEFAULT);
            ASSERT_EQ(status, CUBLAS_STATUS_SUCCESS);
            expectResult(of, shape, expected);
        }
}

// Half could not count beyond 2048 by ones.
TEST_F(CublasTest, accumulatesHalfInFloat)
{
    const Types types{CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    const Shape shape{CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 4096};
    const Operands of(types, shape, 1);
    of.a.fill([] { return 1.0; });
    of.b.fill([] { return 1.0; });
    const Half one(1.0F);
    const Half zero(0.0F);
    const auto* const alpha = reinterpret_cast<const __half*>(&one);
    const auto* const beta = reinterpret_cast<const __half*>(&zero);
    ASSERT_EQ(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 4096, alpha,
                          static_cast<const __half*>(of.a.data), of.a.leading,
                          static_cast<const __half*>(of.b.data), of.b.leading, beta,
                          static_cast<__half*>(of.c.data), of.c.leading),
              CUBLAS_STATUS_SUCCESS);
    expectResult(of, shape, {4096});
}

TEST_F(CublasTest, namedFunctionsMultiplyTheirTypes)
{
    const Shape shape{CUBLAS_OP_T, CUBLAS_OP_N, 4, 6, 5};
    const double alpha = 2;
    const double beta = 0;
    const Operands doubles({CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F}, shape, 2);
    const Operands floats({CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F}, shape, 2);
    for (const Operands* of : {&doubles, &floats})
        for (const Matrices* matrix : {&of->a, &of->b, &of->c})
            matrix->fill([this] { return small(); });
    auto expected = expectedOf(doubles, shape, alpha, beta);
    ASSERT_EQ(cublasDgemmStridedBatched(
                  handle, shape.opA, shape.opB, 4, 6, 5, &alpha, static_cast<const double*>(doubles.a.data),
                  doubles.a.leading, doubles.a.stride, static_cast<const double*>(doubles.b.data),
                  doubles.b.leading, doubles.b.stride, &beta, static_cast<double*>(doubles.c.data),
                  doubles.c.leading, doubles.c.stride, 2),
              CUBLAS_STATUS_SUCCESS);
    expectResult(doubles, shape, expected);
    const float singleAlpha = 2;
    const float singleBeta = 0;
    expected = expectedOf(floats, shape, alpha, beta);
    ASSERT_EQ(cublasSgemmBatched(handle, shape.opA, shape.opB, 4, 6, 5, &singleAlpha,
                                 reinterpret_cast<const float* const*>(floats.a.addresses), floats.a.leading,
                                 reinterpret_cast<const float* const*>(floats.b.addresses), floats.b.leading,
                                 &singleBeta, reinterpret_cast<float* const*>(floats.c.addresses),
                                 floats.c.leading, 2),
              CUBLAS_STATUS_SUCCESS);
    expectResult(floats, shape, expected);
}

// With beta 0, C is not read: NaN in it stays out of the result. With no inner dimension only beta is left.
TEST_F(CublasTest, acceptsTheEdgesOfTheDefinition)
{
    const float one = 1;
    const float zero = 0;
    const float two = 2;
    for (const cudaDataType type : {CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF}) {
        const Shape shape{CUBLAS_OP_N, CUBLAS_OP_N, 3, 2, 4};
        const Operands of({type, type, CUBLAS_COMPUTE_32F, CUDA_R_32F}, shape, 1);
        of.a.fill([] { return 1.0; });
        of.b.fill([] { return 1.0; });
        of.c.fill([] { return std::numeric_limits<double>::quiet_NaN(); });
        const auto multiply = [&](int k, const float* beta) {
            return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 2, k, &one, of.a.data, type,
                                of.a.leading, of.b.data, type, of.b.leading, beta, of.c.data, type,
                                of.c.leading, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
        };
        ASSERT_EQ(multiply(4, &zero), CUBLAS_STATUS_SUCCESS);
        expectResult(of, shape, std::vector<double>(6, 4.0));
        ASSERT_EQ(multiply(0, &two), CUBLAS_STATUS_SUCCESS);
        expectResult(of, shape, std::vector<double>(6, 8.0));
    }
}

TEST_F(CublasTest, readsScalarsFromDeviceMemoryWhenTheWorkRuns)
{
    const Shape shape{CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2};
    const Operands of({CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F}, shape, 1);
    of.a.fill([] { return 1.0; });
    of.b.fill([] { return 1.0; });
    void* scalars = nullptr;
    ASSERT_EQ(cudaMalloc(&scalars, 2 * sizeof(Half)), cudaSuccess);
    auto* const scalar = static_cast<Half*>(scalars);
    scalar[0] = Half(3.0F);
    scalar[1] = Half(0.0F);
    ASSERT_EQ(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, scalar, of.a.data, CUDA_R_16F,
                           of.a.leading, of.b.data, CUDA_R_16F, of.b.leading, scalar + 1, of.c.data,
                           CUDA_R_16F, of.c.leading, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT),
              CUBLAS_STATUS_SUCCESS);
    expectResult(of, shape, std::vector<double>(4, 6.0));
    cudaFree(scalars);
}

TEST_F(CublasTest, refusesWhatTheRealOneRefuses)
{
    const float one = 1;
    alignas(8) std::byte memory[512] = {};
    const auto multiply = [&](cublasHandle_t with, cudaDataType a, cudaDataType b, cudaDataType c, int m,
                              int leading, cublasComputeType_t compute, const float* alpha) {
        return cublasGemmEx(with, CUBLAS_OP_N, CUBLAS_OP_N, m, 2, 2, alpha, memory, a, leading, memory, b, 2,
                            &one, memory, c, leading, compute, CUBLAS_GEMM_DEFAULT);
    };
    constexpr auto kFloat = CUDA_R_32F;
    constexpr auto kHalf = CUDA_R_16F;
    EXPECT_EQ(multiply(nullptr, kFloat, kFloat, kFloat, 2, 2, CUBLAS_COMPUTE_32F, &one),
              CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(multiply(handle, kFloat, kFloat, kFloat, 2, 1, CUBLAS_COMPUTE_32F, &one),
              CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(multiply(handle, kFloat, kFloat, kFloat, -1, 2, CUBLAS_COMPUTE_32F, &one),
              CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(multiply(handle, kFloat, kFloat, kFloat, 2, 2, CUBLAS_COMPUTE_32F, nullptr),
              CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(multiply(handle, kFloat, kFloat, kFloat, 0, 2, CUBLAS_COMPUTE_32F, &one),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(multiply(handle, kHalf, kFloat, kHalf, 2, 2, CUBLAS_COMPUTE_32F, &one),
              CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(multiply(handle, kHalf, kHalf, CUDA_R_16BF, 2, 2, CUBLAS_COMPUTE_32F, &one),
              CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(multiply(handle, kFloat, kFloat, kFloat, 2, 2, CUBLAS_COMPUTE_16F, &one),
              CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(multiply(handle, kHalf, kHalf, kFloat, 2, 2, CUBLAS_COMPUTE_16F, &one),
              CUBLAS_STATUS_NOT_SUPPORTED);
}

} // namespace
