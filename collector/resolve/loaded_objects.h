// SPDX-License-Identifier: Apache-2.0
// The objects that the loader has in memory: finds the one around an address, and the one that defines a
// function. Reads the symbol tables directly: dlsym() on a handle also searches the object's
// dependencies, and opening each object would hold the loader's lock for long.
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
/// The object that contains the address.
LoadedObject objectAround(const void* address);

/// Whether an object other than the collector defines the function at this address: neither a wrapper,
/// nor a program's stub of an imported function.
bool isDefinition(const void* function);

/// Whether the function is in a file whose name begins with this prefix.
bool isInFile(const void* function, const char* prefix);

/// Finds a function that a loaded object exports. Objects whose file name begins with `preferred` are
/// searched first. The collector and other copies of it are skipped. Returns null if there is none.
void* findDefinition(const char* name, const char* preferred);

} // namespace ringside::collector
