// SPDX-License-Identifier: Apache-2.0
#include "device/questions.h"

namespace ringside::collector {
namespace {

/// CUDA 13 has 523 functions of the runtime and 800 of the driver.
constexpr std::uint32_t kMostFunctions = 2048;

template <class Choose>
void leaveOut(const CuptiLibrary& cupti, cupti::CallbackDomain domain, Choose choose)
{
    if (choose == nullptr) {
        return;
    }
    for (std::uint32_t function = 1; function < kMostFunctions; ++function) {
        const char* name = nullptr;
        if (cupti.callbackName(domain, function, &name) != cupti::kSuccess || name == nullptr ||
            !isQuestion(name)) {
            continue;
        }
        if (choose(function, 0) != cupti::kSuccess) {
            return;
        }
    }
}

} // namespace

bool isQuestion(std::string_view function)
{
    for (const std::string_view word : {"Get", "Query", "IsCapturing", "Occupancy", "Peek"}) {
        if (function.find(word) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

void leaveOutQuestions(const CuptiLibrary& cupti)
{
    leaveOut(cupti, cupti::kDomainRuntimeApi, cupti.chooseRuntimeCall);
    leaveOut(cupti, cupti::kDomainDriverApi, cupti.chooseDriverCall);
}

} // namespace ringside::collector
