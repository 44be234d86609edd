// SPDX-License-Identifier: Apache-2.0
#include "gemm.h"

#include "narrow_float.h"

#include <cblas-openblas.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace ringside::cublas {
namespace {

using platform::Bfloat16;
using platform::Half;

struct TypeTraits {
    cudaDataType type;
    long long bytes;
    const char* rate; ///< the device model's key for operations per second, if it differs from flops
    std::array<const char*, 4> kernels; ///< nn, nt, tn, tt
};
// Half and bfloat16 have the same size and rate.
constexpr std::array<TypeTraits, 4> kTypes = {
    {{CUDA_R_32F,
      4,
      "flops",
      {"ringside_emulated_sgemm_128x128_nn", "ringside_emulated_sgemm_128x128_nt",
       "ringside_emulated_sgemm_128x128_tn", "ringside_emulated_sgemm_128x128_tt"}},
     {CUDA_R_64F,
      8,
      "double_flops",
      {"ringside_emulated_dgemm_128x128_nn", "ringside_emulated_dgemm_128x128_nt",
       "ringside_emulated_dgemm_128x128_tn", "ringside_emulated_dgemm_128x128_tt"}},
     {CUDA_R_16F,
      2,
      "half_flops",
      {"ringside_emulated_hgemm_128x128_nn", "ringside_emulated_hgemm_128x128_nt",
       "ringside_emulated_hgemm_128x128_tn", "ringside_emulated_hgemm_128x128_tt"}},
     {CUDA_R_16BF,
      2,
      "half_flops",
      {"ringside_emulated_bf16gemm_128x128_nn", "ringside_emulated_bf16gemm_128x128_nt",
       "ringside_emulated_bf16gemm_128x128_tn", "ringside_emulated_bf16gemm_128x128_tt"}}}};

// Types were checked before: by findScaleType, or because the function's name fixes them.
const TypeTraits& traits(cudaDataType type)
{
    return *std::ranges::find(kTypes, type, &TypeTraits::type);
}

/// A matrix as OpenBLAS reads it: the caller's own memory if the type fits, else a copy.
template <class Wide>
struct Columns {
    const Wide* data;
    int leading;
    std::vector<Wide> copy;
};

template <class Narrow>
void widen(const void* from, int leading, int rows, int columns, std::vector<float>& to)
{
    const auto* values = static_cast<const Narrow*>(from);
    for (std::int64_t column = 0; column < columns; ++column)
        for (std::int64_t row = 0; row < rows; ++row)
            to[static_cast<std::size_t>(column * rows + row)] =
                static_cast<float>(values[column * leading + row]);
}

template <class Narrow>
void narrow(const std::vector<float>& from, void* to, int leading, int rows, int columns)
{
    auto* values = static_cast<Narrow*>(to);
    for (std::int64_t column = 0; column < columns; ++column)
        for (std::int64_t row = 0; row < rows; ++row)
            values[column * leading + row] = Narrow(from[static_cast<std::size_t>(column * rows + row)]);
}

std::size_t elements(int rows, int columns)
{
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

Columns<float> floatColumns(const Matrix& matrix, int batch, int rows, int columns)
{
    const void* at = matrix.at(batch);
    if (matrix.type == CUDA_R_32F)
        return {static_cast<const float*>(at), matrix.leading, {}};
    Columns<float> wide{nullptr, std::max(1, rows), std::vector<float>(elements(rows, columns))};
    if (matrix.type == CUDA_R_16F)
        widen<Half>(at, matrix.leading, rows, columns, wide.copy);
    else
        widen<Bfloat16>(at, matrix.leading, rows, columns, wide.copy);
    wide.data = wide.copy.data();
    return wide;
}

CBLAS_TRANSPOSE transposition(cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? CblasNoTrans : CblasTrans; // for real numbers, conjugation has no effect
}

// C is read only if beta is not 0: it may hold anything, also NaN.
void multiplyFloat(const Gemm& gemm, int batch, float* c, int leadingC)
{
    const bool aIsPlain = gemm.transA == CUBLAS_OP_N;
    const bool bIsPlain = gemm.transB == CUBLAS_OP_N;
    const auto a = floatColumns(gemm.a, batch, aIsPlain ? gemm.m : gemm.k, aIsPlain ? gemm.k : gemm.m);
    const auto b = floatColumns(gemm.b, batch, bIsPlain ? gemm.k : gemm.n, bIsPlain ? gemm.n : gemm.k);
    cblas_sgemm(CblasColMajor, transposition(gemm.transA), transposition(gemm.transB), gemm.m, gemm.n, gemm.k,
                static_cast<float>(gemm.alpha.get()), a.data, a.leading, b.data, b.leading,
                static_cast<float>(gemm.beta.get()), c, leadingC);
}

template <class Narrow>
void multiplyNarrow(const Gemm& gemm, int batch)
{
    void* c = const_cast<void*>(gemm.c.at(batch));
    std::vector<float> wide(elements(gemm.m, gemm.n));
    if (gemm.beta.get() != 0)
        widen<Narrow>(c, gemm.c.leading, gemm.m, gemm.n, wide);
    multiplyFloat(gemm, batch, wide.data(), gemm.m);
    narrow<Narrow>(wide, c, gemm.c.leading, gemm.m, gemm.n);
}

void multiplyDouble(const Gemm& gemm, int batch)
{
    cblas_dgemm(CblasColMajor, transposition(gemm.transA), transposition(gemm.transB), gemm.m, gemm.n, gemm.k,
                gemm.alpha.get(), static_cast<const double*>(gemm.a.at(batch)), gemm.a.leading,
                static_cast<const double*>(gemm.b.at(batch)), gemm.b.leading, gemm.beta.get(),
                static_cast<double*>(const_cast<void*>(gemm.c.at(batch))), gemm.c.leading);
}

double read(const void* pointer, cudaDataType type)
{
    switch (type) {
    case CUDA_R_16F:
        return static_cast<double>(static_cast<float>(*static_cast<const Half*>(pointer)));
    case CUDA_R_64F:
        return *static_cast<const double*>(pointer);
    default:
        return static_cast<double>(*static_cast<const float*>(pointer));
    }
}

} // namespace

const void* Matrix::at(int batch) const
{
    if (array != nullptr)
        return array[batch];
    return static_cast<const std::byte*>(base) + batch * stride * traits(type).bytes;
}

Factor::Factor(cublasHandle_t handle, const void* pointer, cudaDataType of) : type(of)
{
    if (handle->pointerMode == CUBLAS_POINTER_MODE_DEVICE)
        onDevice = pointer;
    else
        value = read(pointer, of);
}

double Factor::get() const
{
    return onDevice == nullptr ? value : read(onDevice, type);
}

void Gemm::operator()() const
{
    for (int batch = 0; batch < batches; ++batch) {
        if (c.type == CUDA_R_64F)
            multiplyDouble(*this, batch);
        else if (c.type == CUDA_R_16F)
            multiplyNarrow<Half>(*this, batch);
        else if (c.type == CUDA_R_16BF)
            multiplyNarrow<Bfloat16>(*this, batch);
        else
            multiplyFloat(*this, batch, static_cast<float*>(const_cast<void*>(c.at(batch))), c.leading);
    }
}

bool Gemm::valid() const
{
    const auto known = [](cublasOperation_t op) {
        return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
    };
    return m >= 0 && n >= 0 && k >= 0 && batches >= 0 && known(transA) && known(transB) &&
           a.leading >= std::max(1, transA == CUBLAS_OP_N ? m : k) &&
           b.leading >= std::max(1, transB == CUBLAS_OP_N ? k : n) && c.leading >= std::max(1, m);
}

platform::WorkCost Gemm::cost() const
{
    const double rows = m;
    const double columns = n;
    const double inner = k;
    const auto bytes = [](const Matrix& matrix) { return static_cast<double>(traits(matrix.type).bytes); };
    const double traffic =
        rows * inner * bytes(a) + inner * columns * bytes(b) + 2 * rows * columns * bytes(c);
    const double flops = ringside_platform_model_number("flops", 1);
    const double rate = ringside_platform_model_number(traits(a.type).rate, flops);
    return {.flops = 2 * rows * columns * inner * batches * (rate > 0 ? flops / rate : 1),
            .memoryBytes = traffic * batches};
}

platform::WorkShape Gemm::shape() const
{
    constexpr int kTile = 128;
    const auto tiles = [](int size) { return static_cast<std::uint32_t>((size + kTile - 1) / kTile); };
    return {.grid = {tiles(m), tiles(n), static_cast<std::uint32_t>(batches)},
            .block = {256, 1, 1},
            .sharedBytes = 32 << 10,
            .registersPerThread = 128};
}

const char* Gemm::kernelName() const
{
    const unsigned row = (transA == CUBLAS_OP_N ? 0U : 2U) + (transB == CUBLAS_OP_N ? 0U : 1U);
    return traits(a.type).kernels[row];
}

bool findScaleType(cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute,
                   cudaDataType& scale)
{
    const bool inNarrow = a == CUDA_R_16F || a == CUDA_R_16BF;
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        scale = CUDA_R_16F;
        return a == CUDA_R_16F && b == a && c == a;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
        scale = CUDA_R_32F;
        return a == b && ((inNarrow && c == a) || ((inNarrow || a == CUDA_R_32F) && c == CUDA_R_32F));
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
        scale = CUDA_R_32F;
        return a == CUDA_R_32F && b == a && c == a; // lower precision is allowed but never used here
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        scale = CUDA_R_64F;
        return a == CUDA_R_64F && b == a && c == a;
    default:
        return false;
    }
}

} // namespace ringside::cublas
