// SPDX-License-Identifier: Apache-2.0
// Readable names of C++ functions. CUPTI reports kernel names as mangled by the compiler, and traces store
// them in this form.
#pragma once
#include <string>

namespace ringside::trace {

/// Returns the meaning of a mangled name. Returns any other text unchanged, and also names that cannot be
/// demangled (the C++ library accepts at most 1,024 characters) and names whose references to their own parts
/// may expand too much.
[[nodiscard]] std::string demangled(std::string name);

} // namespace ringside::trace
