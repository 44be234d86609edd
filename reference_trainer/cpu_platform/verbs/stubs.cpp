// SPDX-License-Identifier: Apache-2.0
// Functions that are not emulated: they fail and report it once. The real declarations are not included,
// because the signatures differ.
#include <cerrno>
#include <cstdio>

namespace {

using Number = int;
using Pointer = void*;

void refuse(const char* name, bool& said)
{
    if (!said)
        std::fprintf(stderr, "ringside cpu platform: %s is not emulated: only ports and events are\n", name);
    said = true;
    errno = ENOSYS;
}

template <class Result>
Result refusal();
template <>
Number refusal<Number>()
{
    return ENOSYS;
}
template <>
Pointer refusal<Pointer>()
{
    return nullptr;
}

} // namespace

extern "C" {
// NOLINTBEGIN(bugprone-macro-parentheses): a type is declared with
#define STUB(result, name)                                                                                   \
    result name()                                                                                            \
    {                                                                                                        \
        static bool said = false;                                                                            \
        refuse(#name, said);                                                                                 \
        return refusal<result>();                                                                            \
    }
#include "stubs.def"
// NOLINTEND(bugprone-macro-parentheses)
}
