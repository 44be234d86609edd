// SPDX-License-Identifier: Apache-2.0
// Reads a dump that was written as a Python pickle, as PyTorch does. A pickle is a program that may call any
// function. This reader accepts only instructions that create plain values, and executes nothing. An
// instruction that names or calls a class (GLOBAL, REDUCE, BUILD, INST, OBJ, persistent ids ...) ends the
// reading.
#pragma once
#include "import/bytes.h"
#include "import/pickle/values.h"

#include <string_view>

namespace ringside::importers::pickle {

/// Whether a file begins like a pickle of protocol 2 (PyTorch) to 5 (Python).
[[nodiscard]] bool isPickle(std::string_view head);

/// Reads the values of a pickle. Values before damage are kept, as if the pickle had ended there.
[[nodiscard]] Document readPickle(Bytes& bytes);

} // namespace ringside::importers::pickle
