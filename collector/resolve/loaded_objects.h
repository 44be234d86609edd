// SPDX-License-Identifier: Apache-2.0
// The objects that the loader has in memory: which one an address lies in, and which one defines a function.
// Reads the symbol tables themselves: dlsym() on a handle also answers with what the object depends on, and
// opening each object would take the loader's lock for as long.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ringside::collector {

struct AddressRange {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;

    [[nodiscard]] bool contains(const void* address) const
    {
        return reinterpret_cast<std::uintptr_t>(address) - begin < bytes;
    }
};

struct LoadedObject {
    AddressRange range; ///< of 0 bytes: no object lies there
    char path[4096]{};  ///< empty for the program itself
};
/// The object around an address.
LoadedObject objectAround(const void* address);

/// Whether the address is a function that an object other than the collector defines: not one of ours, and
/// not a program's own stub for a function of others.
bool isDefinition(const void* function);

/// Whether the function lies in a file whose name begins so.
bool isInFile(const void* function, const char* prefix);

/// A function that a loaded object exports, of objects whose file name begins with `preferred` first. The
/// collector itself is left out, and other copies of it. Null when there is none.
void* findDefinition(const char* name, const char* preferred);

} // namespace ringside::collector
