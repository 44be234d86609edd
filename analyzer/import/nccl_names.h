// SPDX-License-Identifier: Apache-2.0
// Recognises names of NCCL kernels and annotations in a trace of PyTorch, and reports communication that
// cannot be attributed to a collective.
#pragma once
#include "import/note.h"
#include "import/torch_words.h"
#include "model/kernel_class.h"

#include <unordered_map>
#include <vector>

namespace ringside::importers {

/// Classifies names by their string id. Each id is classified once and remembered.
class NcclNames final {
public:
    /// Keeps a reference to `process`, whose strings must be complete.
    explicit NcclNames(const trace::ProcessTrace& process) : m_process(process) {}

    /// Whether it is the name of a communication kernel of NCCL.
    bool isKernel(trace::StringId name)
    {
        return classify(m_kernels, name, [](std::string_view text) {
            return model::classifyKernel(text) == model::KernelClass::Communication &&
                   wordOf(text).find("nccl") != std::string::npos;
        });
    }
    /// Whether it is the name of an annotation of ProcessGroupNCCL.
    bool isAnnotation(trace::StringId name)
    {
        return classify(m_annotations, name, [](std::string_view text) { return text.starts_with("nccl:"); });
    }

private:
    using Known = std::unordered_map<trace::StringId, bool>;
    template <class Predicate>
    bool classify(Known& known, trace::StringId name, const Predicate& predicate) const
    {
        const auto [entry, fresh] = known.try_emplace(name, false);
        if (fresh) {
            entry->second = predicate(m_process.text(name));
        }
        return entry->second;
    }

    const trace::ProcessTrace& m_process;
    Known m_kernels;
    Known m_annotations;
};

/// Adds issues for communication kernels without a known collective: `shared` is the number of those that
/// share a launch, `nameless` the number of sends and receives without a description.
inline void noteUnattributed(trace::ProcessTrace& process, std::int64_t shared, std::int64_t nameless)
{
    note(process, trace::Issue::GraphCallsUnknown, shared,
         "communication kernels share their launch with others (a CUDA graph) or name none; they count as "
         "communication, but their collectives are not known");
    note(process, trace::Issue::CollectivesUnnamed, nameless,
         "communication kernels of sends and receives have no description in the trace; they count as "
         "communication, but are not matched");
}

} // namespace ringside::importers
