// SPDX-License-Identifier: Apache-2.0
// Device variables. A variable is its host shadow, which the kernels' host versions use; all devices share
// it. Managed variables are managed memory.
#include "api.h"
#include "memory.h"

#include <cstring>
#include <mutex>
#include <unordered_map>

using namespace ringside::platform;

namespace {

struct VariableTable {
    std::mutex mutex;
    std::unordered_map<const void*, std::size_t> sizes;
};

VariableTable& variableTable()
{
    static auto* table = new VariableTable;
    return *table;
}

void remember(const void* variable, std::size_t size)
{
    VariableTable& table = variableTable();
    const std::lock_guard lock(table.mutex);
    table.sizes[variable] = size;
}

// Returns 0 for an unregistered symbol.
std::size_t sizeOf(const void* symbol)
{
    VariableTable& table = variableTable();
    const std::lock_guard lock(table.mutex);
    const auto found = table.sizes.find(symbol);
    return found == table.sizes.end() ? 0 : found->second;
}

// Runs `body` with a part of a variable.
template <class Body>
cudaError_t withSymbol(const void* symbol, std::size_t count, std::size_t offset, Body&& body)
{
    const std::size_t size = sizeOf(symbol);
    if (size == 0)
        return cudaErrorInvalidSymbol;
    if (offset > size || count > size - offset)
        return cudaErrorInvalidValue;
    return body(static_cast<char*>(const_cast<void*>(symbol)) + offset);
}

} // namespace

void __cudaRegisterVar(void**, char* hostVariable, char*, const char*, int, std::size_t size, int, int)
{
    remember(hostVariable, size);
    registerVariable(hostVariable, size);
}

// A program accesses its __managed__ variables through a pointer that the runtime sets. Their initial values
// are part of the device code, which is not read here, so that they begin as zeros.
void __cudaRegisterManagedVar(void**, void** hostPointer, char*, const char* name, int, std::size_t size, int,
                              int)
{
    *hostPointer = allocateManaged(0, size);
    if (*hostPointer == nullptr)
        return complain("no memory for the managed variable '%s' of %zu bytes", name, size);
    std::memset(*hostPointer, 0, size);
    remember(*hostPointer, size);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGetSymbolAddress_v3020, [&] {
        if (pointer == nullptr)
            return cudaErrorInvalidValue;
        return withSymbol(symbol, 0, 0, [&](char* variable) {
            *pointer = variable;
            return cudaSuccess;
        });
    });
}

cudaError_t cudaGetSymbolSize(std::size_t* size, const void* symbol)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGetSymbolSize_v3020, [&] {
        if (size == nullptr)
            return cudaErrorInvalidValue;
        *size = sizeOf(symbol);
        return *size != 0 ? cudaSuccess : cudaErrorInvalidSymbol;
    });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, std::size_t count, std::size_t offset,
                               cudaMemcpyKind kind)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyToSymbol_v3020, [&] {
        return withSymbol(symbol, count, offset,
                          [&](char* variable) { return cudaMemcpy(variable, source, count, kind); });
    });
}

cudaError_t cudaMemcpyFromSymbol(void* destination, const void* symbol, std::size_t count, std::size_t offset,
                                 cudaMemcpyKind kind)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyFromSymbol_v3020, [&] {
        return withSymbol(symbol, count, offset,
                          [&](char* variable) { return cudaMemcpy(destination, variable, count, kind); });
    });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, std::size_t count,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyToSymbolAsync_v3020, [&] {
        return withSymbol(symbol, count, offset, [&](char* variable) {
            return cudaMemcpyAsync(variable, source, count, kind, stream);
        });
    });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, std::size_t count,
                                      std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyFromSymbolAsync_v3020, [&] {
        return withSymbol(symbol, count, offset, [&](char* variable) {
            return cudaMemcpyAsync(destination, variable, count, kind, stream);
        });
    });
}
