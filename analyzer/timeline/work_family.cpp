// SPDX-License-Identifier: Apache-2.0
#include "timeline/work_family.h"

#include "timeline/kernel_family.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ringside::timeline {
namespace {

struct CommunicationRow {
    std::string_view part; ///< of the name, in lower case without underscores
    WorkFamily family;
};
/// The first row that matches decides: "reduce" is a part of names that stand before it.
constexpr std::array kCommunication{
    CommunicationRow{"alltoall", WorkFamily::AllToAll},  CommunicationRow{"all2all", WorkFamily::AllToAll},
    CommunicationRow{"dispatch", WorkFamily::AllToAll},  CommunicationRow{"combine", WorkFamily::AllToAll},
    CommunicationRow{"allgather", WorkFamily::Gathers},  CommunicationRow{"broadcast", WorkFamily::Gathers},
    CommunicationRow{"bcast", WorkFamily::Gathers},      CommunicationRow{"sendrecv", WorkFamily::Messages},
    CommunicationRow{"reduce", WorkFamily::Reductions},  CommunicationRow{"allsum", WorkFamily::Reductions},
    CommunicationRow{"gather", WorkFamily::Gathers},     CommunicationRow{"scatter", WorkFamily::Gathers},
    CommunicationRow{"ncclsend", WorkFamily::Messages},  CommunicationRow{"ncclrecv", WorkFamily::Messages},
    CommunicationRow{"putsignal", WorkFamily::Messages},
};

WorkFamily computeFamily(std::string_view kernel)
{
    switch (familyOf(kernel)) {
    case KernelFamily::Matmul:
        return WorkFamily::Matmul;
    case KernelFamily::Attention:
        return WorkFamily::Attention;
    case KernelFamily::Normalisation:
        return WorkFamily::Normalisation;
    case KernelFamily::Optimizer:
        return WorkFamily::Optimizer;
    case KernelFamily::Elementwise:
        return WorkFamily::Elementwise;
    case KernelFamily::Copying:
        return WorkFamily::Copies;
    case KernelFamily::Embedding:
    case KernelFamily::Reduction:
    case KernelFamily::Other:
        break;
    }
    return WorkFamily::OtherCompute;
}

} // namespace

std::string_view familyName(WorkFamily family)
{
    constexpr std::array<std::string_view, kWorkFamilies> kNames{"matrix multiplication",
                                                                 "attention",
                                                                 "normalisation",
                                                                 "optimizer",
                                                                 "elementwise",
                                                                 "other compute",
                                                                 "copies",
                                                                 "all-reduce, reduce-scatter",
                                                                 "all-gather, broadcast",
                                                                 "all-to-all",
                                                                 "sends and receives",
                                                                 "other communication"};
    return kNames[static_cast<std::size_t>(family)];
}

WorkFamily communicationFamily(std::string_view kernel)
{
    std::string name;
    for (const char c : kernel.substr(0, kernel.find_first_of("(<"))) {
        if (c != '_') {
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    const auto row = std::ranges::find_if(kCommunication, [&name](const CommunicationRow& each) {
        return name.find(each.part) != std::string::npos;
    });
    return row == kCommunication.end() ? WorkFamily::OtherCommunication : row->family;
}

std::optional<WorkFamily> workFamilyOf(const model::Model& model, const Track& track, const Span& span)
{
    switch (span.kind) {
    case SpanKind::Compute:
        return computeFamily(nameOf(model, track, span));
    case SpanKind::Communication:
    case SpanKind::Transfer:
        return communicationFamily(nameOf(model, track, span));
    case SpanKind::Copy:
        return WorkFamily::Copies;
    default:
        return std::nullopt;
    }
}

} // namespace ringside::timeline
