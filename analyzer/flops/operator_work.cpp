// SPDX-License-Identifier: Apache-2.0
#include "flops/operator_work.h"

#include <algorithm>
#include <cmath>

namespace ringside::flops {
namespace {

using Result = std::optional<OperatorWork>;

OperatorWork workOn(const Arguments& arguments, std::size_t operand, Family family, double flops,
                    double elements)
{
    const std::string_view type = arguments.type(operand);
    return {family, type, flops, elements * bytesOf(type)};
}

/// The product of arguments `first` and the next one, [..., m, k] x [..., k, n].
Result product(const Arguments& arguments, std::size_t first)
{
    const Shape a = arguments.shape(first);
    const Shape b = arguments.shape(first + 1);
    if (a.size() < 2 || a.size() != b.size() || a[a.size() - 1] != b[b.size() - 2] ||
        !std::equal(a.begin(), a.end() - 2, b.begin())) {
        return std::nullopt;
    }
    const double result = sizeOf(a) / a.back() * b.back();
    return workOn(arguments, first, Family::MatrixProduct, 2 * result * a.back(),
                  sizeOf(a) + sizeOf(b) + result);
}

Result matrixProduct(const Arguments& arguments)
{
    return product(arguments, 0);
}

/// The first argument is added to the product of the next two.
Result addedProduct(const Arguments& arguments)
{
    return product(arguments, 1);
}

/// Places of the arguments that describe a convolution.
struct ConvolutionPlaces {
    std::size_t input, weight, stride, padding, dilation, transposed;
};

/// Returns the number of places in space to which the kernel is laid: those of the result, or of the input of
/// a transposed convolution.
std::optional<double> placesOf(const Arguments& arguments, const ConvolutionPlaces& at)
{
    const Shape input = arguments.shape(at.input);
    const Shape weight = arguments.shape(at.weight);
    const auto transposed = arguments.truth(at.transposed);
    if (input.size() < 3 || weight.size() != input.size() || !transposed) {
        return std::nullopt;
    }
    double places = 1;
    for (std::size_t i = 2; i < input.size(); ++i) {
        const auto stride = arguments.number(at.stride, i - 2);
        const auto padding = arguments.number(at.padding, i - 2);
        const auto dilation = arguments.number(at.dilation, i - 2);
        if (!stride || !padding || !dilation || *stride < 1) {
            return std::nullopt;
        }
        const double out =
            std::floor((input[i] + 2 * *padding - *dilation * (weight[i] - 1) - 1) / *stride) + 1;
        places *= *transposed ? input[i] : out;
    }
    return places > 0 ? std::optional(places) : std::nullopt;
}

/// Each place takes, for each input channel of a group and each point of the kernel, two operations for each
/// output channel: 2 x batch x places x size of the weight.
Result convolutionOf(const Arguments& arguments, const ConvolutionPlaces& at, double passes)
{
    const auto places = placesOf(arguments, at);
    if (!places || passes <= 0) {
        return std::nullopt;
    }
    const Shape input = arguments.shape(at.input);
    const Shape weight = arguments.shape(at.weight);
    const double flops = 2 * input[0] * *places * sizeOf(weight);
    const double result = input[0] * *places * weight[0];
    return workOn(arguments, at.input, Family::Convolution, passes * flops,
                  passes * (sizeOf(input) + sizeOf(weight) + result));
}

Result convolution(const Arguments& arguments)
{
    return convolutionOf(arguments, {0, 1, 3, 4, 5, 6}, 1);
}

/// The gradient of the input and that of the weight each cost as much as the convolution.
Result convolutionBackward(const Arguments& arguments)
{
    const double passes =
        static_cast<double>(arguments.trueAt(10, 0)) + static_cast<double>(arguments.trueAt(10, 1));
    return convolutionOf(arguments, {1, 2, 4, 5, 6, 7}, passes);
}

/// Where an attention has its arguments.
struct AttentionPlaces {
    std::size_t query = 0;
    std::size_t causal = 0;
    bool headsSecond = true; ///< [batch, heads, sequence, size], else [batch, sequence, heads, size]
    bool backward = false;
};

/// Scores and their product with the values: 2 x pairs x (size of keys + size of values). Backward computes
/// the scores again, and the gradients of scores, values, queries and keys.
Result attentionOf(const Arguments& arguments, const AttentionPlaces& at)
{
    const Shape query = arguments.shape(at.query);
    const Shape key = arguments.shape(at.query + 1);
    const Shape value = arguments.shape(at.query + 2);
    const auto causal = arguments.truth(at.causal);
    if (query.size() != 4 || key.size() != 4 || value.size() != 4 || !causal) {
        return std::nullopt;
    }
    const std::size_t sequence = at.headsSecond ? 2 : 1;
    const double rows = query[sequence];
    const double columns = key[sequence];
    if (*causal && rows != columns) { // which pairs are left out then differs between versions
        return std::nullopt;
    }
    const double pairs = query[0] * query[3 - sequence] * (*causal ? rows * (rows + 1) / 2 : rows * columns);
    const double flops =
        at.backward ? 2 * pairs * (3 * query[3] + 2 * value[3]) : 2 * pairs * (query[3] + value[3]);
    const double elements = sizeOf(query) + sizeOf(key) + sizeOf(value) + sizeOf(query) / query[3] * value[3];
    return workOn(arguments, at.query, Family::Attention, flops, at.backward ? 2 * elements : elements);
}

template <AttentionPlaces kPlaces>
Result attention(const Arguments& arguments)
{
    return attentionOf(arguments, kPlaces);
}

struct Formula {
    std::string_view name;
    Result (*work)(const Arguments&);
};

/// Operators whose formulas are known. One that calls another of them does no work itself.
constexpr Formula kFormulas[] = {
    {"aten::mm", matrixProduct},
    {"aten::bmm", matrixProduct},
    {"aten::_int_mm", matrixProduct},
    {"aten::_scaled_mm", matrixProduct},
    {"aten::addmm", addedProduct},
    {"aten::baddbmm", addedProduct},
    {"aten::_addmm_activation", addedProduct},
    {"aten::convolution", convolution},
    {"aten::convolution_backward", convolutionBackward},
    {"aten::_scaled_dot_product_flash_attention", attention<AttentionPlaces{0, 4}>},
    {"aten::_scaled_dot_product_efficient_attention", attention<AttentionPlaces{0, 6}>},
    {"aten::_scaled_dot_product_cudnn_attention", attention<AttentionPlaces{0, 6}>},
    {"aten::_scaled_dot_product_flash_attention_backward", attention<AttentionPlaces{1, 11, true, true}>},
    {"aten::_scaled_dot_product_efficient_attention_backward", attention<AttentionPlaces{1, 11, true, true}>},
    {"aten::_scaled_dot_product_cudnn_attention_backward", attention<AttentionPlaces{1, 14, true, true}>},
    {"flash_attn::_flash_attn_forward", attention<AttentionPlaces{0, 5, false}>},
    {"flash_attn::_flash_attn_backward", attention<AttentionPlaces{1, 11, false, true}>},
};

const Formula* formulaOf(std::string_view name)
{
    const auto* const found = std::ranges::find(kFormulas, name, &Formula::name);
    return found == std::end(kFormulas) ? nullptr : found;
}

} // namespace

std::string_view nameOf(Family family)
{
    switch (family) {
    case Family::MatrixProduct:
        return "matrix products";
    case Family::Convolution:
        return "convolutions";
    case Family::Attention:
        break;
    }
    return "attention";
}

bool hasFormula(std::string_view name)
{
    return formulaOf(name) != nullptr;
}

std::optional<OperatorWork> workOf(const OperatorCall& call)
{
    const Formula* const formula = formulaOf(call.name);
    const auto work = formula != nullptr ? formula->work(Arguments(call)) : std::nullopt;
    return work && work->flops > 0 && !work->type.empty() ? work : std::nullopt;
}

std::optional<Precision> precisionOf(std::string_view type, std::string_view kernel)
{
    const auto holds = [&](std::string_view part) { return kernel.find(part) != std::string_view::npos; };
    if (type == "float") { // cuBLAS' kernels of shape 16x8x8 take TF32
        return holds("tf32") || holds("s1688") ? Precision::Tf32 : Precision::Fp32;
    }
    return type == "double"                  ? std::optional(Precision::Fp64)
           : type == "c10::Half"             ? std::optional(Precision::Fp16)
           : type == "c10::BFloat16"         ? std::optional(Precision::Bf16)
           : type.starts_with("c10::Float8") ? std::optional(Precision::Fp8)
           : type == "signed char"           ? std::optional(Precision::Int8)
                                             : std::nullopt;
}

} // namespace ringside::flops
