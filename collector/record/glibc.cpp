// SPDX-License-Identifier: Apache-2.0
#include "record/glibc.h"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are glibc's and the
// compiler's
extern "C" {
[[gnu::weak]] const char* gnu_get_libc_version();
/// What pthread_atfork calls, which is linked in statically and needs it.
[[gnu::weak]] int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* library);
extern void* __dso_handle [[gnu::visibility("hidden")]];
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace ringside::collector {

bool runsOnGlibc()
{
    return gnu_get_libc_version != nullptr;
}

void atFork(void (*prepare)(), void (*parent)(), void (*child)())
{
    if (__register_atfork != nullptr) {
        __register_atfork(prepare, parent, child, &__dso_handle);
    }
}

} // namespace ringside::collector
