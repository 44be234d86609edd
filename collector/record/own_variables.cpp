// SPDX-License-Identifier: Apache-2.0
#include "record/own_variables.h"

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace ringside::collector {

void changeVariable(const char* name, const char* value)
{
    if (value == nullptr) {
        unsetenv(name);
        return; // moves nothing
    }
    if (setenv(name, value, 1) != 0 || environ == nullptr) {
        return;
    }
    std::size_t count = 0;
    while (environ[count] != nullptr) {
        ++count;
    }
    static char** newest = nullptr; // a copy, with the one before it in front, so that none counts as leaked
    auto** const copy = static_cast<char**>(std::malloc((count + 2) * sizeof(char*)));
    if (copy != nullptr) {
        copy[0] = reinterpret_cast<char*>(newest);
        std::memcpy(copy + 1, environ, (count + 1) * sizeof(char*));
        newest = copy;
        environ = copy + 1;
    }
}

} // namespace ringside::collector
