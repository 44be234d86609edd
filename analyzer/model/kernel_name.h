// SPDX-License-Identifier: Apache-2.0
// The name of a kernel without what surrounds it: profilers give it mangled or demangled, with its return
// type, template arguments and parameters, any of which may name somebody else's types.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ringside::model {

/// The identifiers of the function's qualified name, in lower case, outermost namespace first:
/// "void deep_ep::intranode::dispatch<8>(int*)" and "_ZN7deep_ep9intranode8dispatchILi8EEEvPi" give
/// {"deep_ep", "intranode", "dispatch"}. Unnamed namespaces are left out. A name that cannot be demangled is
/// one identifier.
[[nodiscard]] std::vector<std::string> identifiersOf(std::string_view kernelName);

} // namespace ringside::model
