// SPDX-License-Identifier: Apache-2.0
#include "probe/verbs_library.h"

#include <dlfcn.h>

namespace ringside::probe {
namespace {

/// All or nothing: there was never a version 1.1 of it with only some of them.
bool load(VerbsLibrary& functions)
{
    void* const library = dlopen("libibverbs.so.1", RTLD_NOW);
    bool whole = library != nullptr;
// NOLINTBEGIN(bugprone-macro-parentheses): the member is assigned to
#define RINGSIDE_VERB(member, name, result, parameters)                                                      \
    if (whole) {                                                                                             \
        functions.member = reinterpret_cast<result(*) parameters>(dlvsym(library, #name, "IBVERBS_1.1"));    \
        whole = functions.member != nullptr;                                                                 \
    }
    RINGSIDE_VERBS(RINGSIDE_VERB)
#undef RINGSIDE_VERB
    // NOLINTEND(bugprone-macro-parentheses)
    return whole;
}

} // namespace

const VerbsLibrary* VerbsLibrary::find()
{
    static VerbsLibrary functions;
    static const bool there = load(functions);
    return there ? &functions : nullptr;
}

} // namespace ringside::probe
