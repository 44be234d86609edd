// SPDX-License-Identifier: Apache-2.0
// How many floating-point operations an operator of PyTorch computes, from the shapes that the profiler
// recorded of its arguments. A multiplication and an addition are two. Only matrix products, convolutions and
// attention are counted, as in every definition of MFU; what else a model does is small beside them.
// Formulas: docs/metrics.md. Layouts of arguments: PyTorch, aten/src/ATen/native/native_functions.yaml, and
// flash_attn_interface.py of the package flash_attn.
#pragma once
#include "flops/arguments.h"
#include "flops/precision.h"

#include <optional>
#include <string_view>

namespace ringside::flops {

enum class Family : std::uint8_t { MatrixProduct, Convolution, Attention };
[[nodiscard]] std::string_view nameOf(Family family); ///< "matrix products"

struct OperatorWork {
    Family family = Family::MatrixProduct;
    std::string_view type; ///< of the operands, a part of OperatorCall::types: "float", "c10::BFloat16"
    double flops = 0;
    double bytes = 0; ///< least that it reads and writes: each operand and the result once
};

/// Whether there is a formula for operators of this name.
[[nodiscard]] bool hasFormula(std::string_view name);
/// Returns null without a formula, or where the texts do not hold what the formula needs.
[[nodiscard]] std::optional<OperatorWork> workOf(const OperatorCall& call);

/// Returns the precision in which a kernel computes operands of this type. For "float" the kernel's name
/// tells whether it rounds to TF32; null for other types than those of numbers.
[[nodiscard]] std::optional<Precision> precisionOf(std::string_view type, std::string_view kernel);

} // namespace ringside::flops
