// SPDX-License-Identifier: Apache-2.0
// The place in a program that a stack of PyTorch's allocator stands for.
#pragma once
#include "import/pickle/values.h"

#include <string>

namespace ringside::importers::torch_memory {

/// Returns "modules/linear.py:125 forward < model.py:40 forward < train.py:88 step": the innermost Python
/// frame and the frames outside PyTorch that called it. A backward pass runs in threads without Python:
/// "backward: MmBackward0". Empty if the stack is not known.
[[nodiscard]] std::string placeOf(const pickle::Values& values, pickle::ValueId frames);

} // namespace ringside::importers::torch_memory
