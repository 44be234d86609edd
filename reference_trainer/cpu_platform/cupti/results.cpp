// SPDX-License-Identifier: Apache-2.0
// Version, and names of results.
#include "conduct.h"

#include <cupti.h>

#include <cstdint>

namespace {

struct ResultName {
    CUptiResult result;
    const char* name;
};

constexpr ResultName kResults[] = {
    {CUPTI_SUCCESS, "CUPTI_SUCCESS"},
    {CUPTI_ERROR_INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER"},
    {CUPTI_ERROR_INVALID_OPERATION, "CUPTI_ERROR_INVALID_OPERATION"},
    {CUPTI_ERROR_MAX_LIMIT_REACHED, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
    {CUPTI_ERROR_NOT_INITIALIZED, "CUPTI_ERROR_NOT_INITIALIZED"},
    {CUPTI_ERROR_QUEUE_EMPTY, "CUPTI_ERROR_QUEUE_EMPTY"},
    {CUPTI_ERROR_INVALID_KIND, "CUPTI_ERROR_INVALID_KIND"},
    {CUPTI_ERROR_NOT_SUPPORTED, "CUPTI_ERROR_NOT_SUPPORTED"},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
    {CUPTI_ERROR_UNKNOWN, "CUPTI_ERROR_UNKNOWN"},
};

} // namespace

CUptiResult cuptiGetVersion(std::uint32_t* version)
{
    if (version == nullptr)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *version = ringside::cupti::Conduct::get().layouts->version;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text)
{
    if (text == nullptr)
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (const ResultName& row : kResults) {
        if (row.result == result) {
            *text = row.name;
            return CUPTI_SUCCESS;
        }
    }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetErrorMessage(CUptiResult result, const char** text)
{
    return cuptiGetResultString(result, text);
}
