// SPDX-License-Identifier: Apache-2.0
// Reduces a kernel's name to its qualified function name. Profilers give names mangled or demangled, with
// return type, template arguments and parameters; any of these may name types of other libraries.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ringside::trace {

/// Returns the identifiers of the function's qualified name, in lower case, outermost namespace first:
/// "void deep_ep::intranode::dispatch<8>(int*)" and "_ZN7deep_ep9intranode8dispatchILi8EEEvPi" give
/// {"deep_ep", "intranode", "dispatch"}. Unnamed namespaces are left out. A name that cannot be demangled
/// becomes one identifier.
[[nodiscard]] std::vector<std::string> identifiersOf(std::string_view kernelName);

/// Joins them again: "deep_ep::intranode::dispatch".
[[nodiscard]] std::string qualifiedName(const std::vector<std::string>& identifiers);

} // namespace ringside::trace
