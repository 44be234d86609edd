// SPDX-License-Identifier: Apache-2.0
#include "resolve/loaded_objects.h"

#include "record/glibc.h"
#include "resolve/symbol_table.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ringside::collector {
namespace {

AddressRange rangeOf(const dl_phdr_info& object)
{
    std::uintptr_t first = ~std::uintptr_t{0};
    std::uintptr_t end = 0;
    for (int each = 0; each < object.dlpi_phnum; ++each) {
        const ElfW(Phdr)& segment = object.dlpi_phdr[each];
        if (segment.p_type == PT_LOAD) {
            first = std::min(first, segment.p_vaddr);
            end = std::max(end, segment.p_vaddr + segment.p_memsz);
        }
    }
    return end > first ? AddressRange{object.dlpi_addr + first, end - first} : AddressRange{};
}

struct AroundSearch {
    const void* address;
    LoadedObject* found;
};

int matchAddress(dl_phdr_info* object, std::size_t, void* data)
{
    const auto* const search = static_cast<AroundSearch*>(data);
    const AddressRange range = rangeOf(*object);
    if (!range.contains(search->address)) {
        return 0;
    }
    search->found->range = range;
    std::snprintf(search->found->path, sizeof search->found->path, "%s", object->dlpi_name);
    return 1;
}

struct DefinitionSearch {
    const char* name;
    const char* preferred;
    void* found;
};

bool isNamed(const char* path, const char* prefix)
{
    const char* const slash = std::strrchr(path, '/');
    const char* const file = slash != nullptr ? slash + 1 : path;
    return std::strncmp(file, prefix, std::strlen(prefix)) == 0;
}

int matchDefinition(dl_phdr_info* object, std::size_t, void* data)
{
    auto* const search = static_cast<DefinitionSearch*>(data);
    const bool preferred = isNamed(object->dlpi_name, search->preferred);
    if (search->found != nullptr && !preferred) {
        return 0;
    }
    const SymbolTable symbols(*object);
    void* const function = symbols.function(search->name);
    if (function == nullptr || symbols.function("ringside_step_begin") != nullptr) {
        return 0;
    }
    search->found = function;
    return preferred ? 1 : 0;
}

} // namespace

LoadedObject objectAround(const void* address)
{
    LoadedObject found;
    found.path[0] = '\0';
    AroundSearch search{address, &found};
    dl_iterate_phdr(&matchAddress, &search);
    return found;
}

bool isDefinition(const void* function)
{
    Dl_info info{};
    Dl_info ours{};
    const ElfW(Sym)* symbol = nullptr;
    return dladdr1 != nullptr &&
           dladdr1(function, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
                   RTLD_DL_SYMENT) != 0 &&
           dladdr(reinterpret_cast<const void*>(&isDefinition), &ours) != 0 &&
           info.dli_fbase != ours.dli_fbase && (symbol == nullptr || symbol->st_shndx != SHN_UNDEF);
}

bool isInFile(const void* function, const char* prefix)
{
    Dl_info info{};
    return dladdr(function, &info) != 0 && info.dli_fname != nullptr && isNamed(info.dli_fname, prefix);
}

void* findDefinition(const char* name, const char* preferred)
{
    DefinitionSearch search{name, preferred, nullptr};
    dl_iterate_phdr(&matchDefinition, &search);
    return search.found;
}

} // namespace ringside::collector
