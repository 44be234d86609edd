// SPDX-License-Identifier: Apache-2.0
// Writes into the trace what was really recorded when, and why: table window. A row is there from the pass
// after its begin on, so that a killed process's trace has it too.
#pragma once
#include "record/levels.h"

#include <ringside/trace/writer.h>

#include <optional>

namespace ringside::collector {

class WindowLog final {
public:
    /// Adds the changes since the last call.
    void write(trace::Writer& writer);
    /// What lies before a moment was deleted.
    void forgetBefore(trace::Writer& writer, std::int64_t ns, const char* why);
    /// Ends the last window.
    void end(trace::Writer& writer, std::int64_t ns);

private:
    void add(trace::Writer& writer, const LevelChange& change);
    std::optional<trace::WindowRow> m_open;
};

} // namespace ringside::collector
