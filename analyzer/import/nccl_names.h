// SPDX-License-Identifier: Apache-2.0
// Which names in a trace of PyTorch speak of NCCL, each looked at once; and what is said of work that nobody
// describes.
#pragma once
#include "import/note.h"
#include "import/torch_words.h"
#include "model/kernel_class.h"

#include <unordered_map>
#include <vector>

namespace ringside::importers {

class NcclNames final {
public:
    /// `process` outlives it and has its strings.
    explicit NcclNames(const trace::ProcessTrace& process) : m_process(process) {}

    /// A communication kernel of NCCL.
    bool isKernel(trace::StringId name)
    {
        return look(m_kernels, name, [](std::string_view text) {
            return model::classifyKernel(text) == model::KernelClass::Communication &&
                   wordOf(text).find("nccl") != std::string::npos;
        });
    }
    /// One of ProcessGroupNCCL's own annotations.
    bool isAnnotation(trace::StringId name)
    {
        return look(m_annotations, name, [](std::string_view text) { return text.starts_with("nccl:"); });
    }

private:
    using Known = std::unordered_map<trace::StringId, bool>;
    template <class Question>
    bool look(Known& known, trace::StringId name, const Question& question) const
    {
        const auto [entry, fresh] = known.try_emplace(name, false);
        if (fresh) {
            entry->second = question(m_process.text(name));
        }
        return entry->second;
    }

    const trace::ProcessTrace& m_process;
    Known m_kernels;
    Known m_annotations;
};

/// Communication kernels that stand for no collective: `shared` ones of one launch, `nameless` ones.
inline void noteUnattributed(trace::ProcessTrace& process, std::int64_t shared, std::int64_t nameless)
{
    note(process, trace::Issue::GraphCallsUnknown, shared,
         "communication kernels share their launch with others (a CUDA graph) or name none; they count as "
         "communication, but which collectives they are is not known");
    note(process, trace::Issue::CollectivesUnnamed, nameless,
         "communication kernels of sends and receives of which nothing says what they belong to; they count "
         "as communication, but are not matched");
}

} // namespace ringside::importers
