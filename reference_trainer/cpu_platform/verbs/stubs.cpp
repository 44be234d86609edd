// SPDX-License-Identifier: Apache-2.0
// What is not emulated refuses, and says so once. Without the real declarations, for the signatures are
// others.
#include <cerrno>
#include <cstdio>

namespace {

using Number = int;
using Pointer = void*;

void refuse(const char* name, bool& said)
{
    if (!said)
        std::fprintf(stderr,
                     "ringside cpu platform: %s is not emulated: there is nothing but ports and events\n",
                     name);
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
