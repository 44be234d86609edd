// SPDX-License-Identifier: Apache-2.0
// One element of traceEvents, as texts that lie in the file's bytes.
#pragma once
#include "import/kineto/json_cursor.h"

#include <string_view>

namespace ringside::importers::kineto {

/// What the profiler writes about a collective, on its kernels and on record_param_comms.
struct CollectiveTexts {
    std::string_view name; ///< "allreduce"; empty: the event is about no collective
    std::string_view inElements, outElements, groupSize, datatype;
    std::string_view group, groupDescription, groupRanks; ///< "0", "default_pg", "[0, 1]"
    std::string_view sequence, source, destination;
};

/// Texts are empty where the event does not hold them.
struct Event {
    std::string_view phase, category, name, pid, tid, time, duration;
    std::string_view device, stream, correlation, bytes, graph, graphNode; ///< of args
    std::string_view label;                                                ///< args.name, of metadata
    CollectiveTexts collective;
    bool hasCollective = false; ///< some text of `collective` is not empty

    void clear()
    {
        phase = category = name = pid = tid = time = duration = {};
        device = stream = correlation = bytes = graph = graphNode = label = {};
        if (hasCollective) { // few events have
            collective = {};
            hasCollective = false;
        }
    }
};

/// Reads the object at the cursor. After anything but Good the cursor is somewhere inside.
Scan readEvent(JsonCursor& cursor, Event& event);

} // namespace ringside::importers::kineto
