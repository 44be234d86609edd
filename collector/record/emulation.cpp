// SPDX-License-Identifier: Apache-2.0
#include "record/emulation.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace ringside::collector {
namespace {

constexpr const char* kOnlyEmulated = "ringside_platform_enqueue";

/// The hash function of a library's GNU hash table.
std::uint32_t hashOf(const char* name)
{
    std::uint32_t hash = 5381;
    for (; *name != '\0'; ++name) {
        hash = hash * 33 + static_cast<unsigned char>(*name);
    }
    return hash;
}

/// The tables in which the dynamic linker finds a library's exports. Null: there are none.
struct Exports {
    const std::uint32_t* hashes = nullptr;
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;

    explicit Exports(const dl_phdr_info& library)
    {
        for (ElfW(Half) i = 0; i < library.dlpi_phnum; ++i) {
            if (library.dlpi_phdr[i].p_type == PT_DYNAMIC) {
                read(library,
                     reinterpret_cast<const ElfW(Dyn)*>(library.dlpi_addr + library.dlpi_phdr[i].p_vaddr));
            }
        }
    }
    [[nodiscard]] bool complete() const
    {
        return hashes != nullptr && symbols != nullptr && names != nullptr;
    }

    [[nodiscard]] bool contain(const char* name) const
    {
        const std::uint32_t buckets = hashes[0];
        const std::uint32_t firstSymbol = hashes[1];
        const std::uint32_t filterWords = hashes[2];
        const std::uint32_t* const bucket = hashes + 4 + filterWords * sizeof(ElfW(Addr)) / sizeof *hashes;
        const std::uint32_t* const chain = bucket + buckets;
        const std::uint32_t hash = hashOf(name);
        std::uint32_t symbol = buckets != 0 ? bucket[hash % buckets] : 0;
        for (; symbol >= firstSymbol && symbol != 0; ++symbol) {
            const std::uint32_t each = chain[symbol - firstSymbol];
            if ((each | 1U) == (hash | 1U) && std::strcmp(names + symbols[symbol].st_name, name) == 0) {
                return symbols[symbol].st_shndx != SHN_UNDEF;
            }
            if ((each & 1U) != 0) { // the last of its bucket
                break;
            }
        }
        return false;
    }

private:
    void read(const dl_phdr_info& library, const ElfW(Dyn) * entry)
    {
        // The dynamic linker has relocated them to addresses, except in the kernel's vDSO.
        const auto address = [&library](ElfW(Addr) value) {
            return value < library.dlpi_addr ? library.dlpi_addr + value : value;
        };
        for (; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_GNU_HASH) {
                hashes = reinterpret_cast<const std::uint32_t*>(address(entry->d_un.d_ptr));
            } else if (entry->d_tag == DT_SYMTAB) {
                symbols = reinterpret_cast<const ElfW(Sym)*>(address(entry->d_un.d_ptr));
            } else if (entry->d_tag == DT_STRTAB) {
                names = reinterpret_cast<const char*>(address(entry->d_un.d_ptr));
            }
        }
    }
};

/// The dynamic linker keeps the library loaded until this returns.
int findEmulation(dl_phdr_info* library, std::size_t, void*)
{
    const Exports exports(*library);
    return exports.complete() && exports.contain(kOnlyEmulated) ? 1 : 0;
}

} // namespace

bool isPlatformEmulated()
{
    return dl_iterate_phdr(&findEmulation, nullptr) != 0;
}

} // namespace ringside::collector
