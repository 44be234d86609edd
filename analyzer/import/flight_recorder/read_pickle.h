// SPDX-License-Identifier: Apache-2.0
// A dump that was written as a Python pickle, the recorder's usual form. A pickle is a program that may call
// anything; this reads only the instructions that make plain values, and executes nothing: what names a class
// or calls one (GLOBAL, REDUCE, BUILD, INST, OBJ, persistent ids ...) ends the reading.
#pragma once
#include "import/bytes.h"
#include "import/flight_recorder/values.h"

#include <string_view>

namespace ringside::importers::flight_recorder {

/// Protocol 2 (PyTorch) to 5 (Python).
[[nodiscard]] bool isPickle(std::string_view head);

/// What was built before damage is kept, as if the pickle had ended there.
[[nodiscard]] Document readPickle(Bytes& bytes);

} // namespace ringside::importers::flight_recorder
