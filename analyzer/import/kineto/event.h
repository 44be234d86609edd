// SPDX-License-Identifier: Apache-2.0
// Reads one element of traceEvents. Its texts are views into the bytes of the file.
#pragma once
#include "import/kineto/json_cursor.h"

#include <string_view>

namespace ringside::importers::kineto {

/// The profiler's description of a collective, found on its kernels and on record_param_comms.
struct CollectiveTexts {
    std::string_view name; ///< such as "allreduce"; empty if the event does not belong to a collective
    std::string_view inElements, outElements, groupSize, datatype;
    std::string_view group, groupDescription, groupRanks; ///< such as "0", "default_pg", "[0, 1]"
    std::string_view sequence, source, destination;
};

/// The profiler's description of a kernel's launch.
struct LaunchTexts {
    std::string_view grid, block; ///< such as "[46800, 1, 1]"
    std::string_view registers, sharedBytes, occupancyPercent;
};

/// What an event "[memory]" says of PyTorch's allocator after an allocation or a release.
struct AllocatorTexts {
    std::string_view deviceType; ///< c10::DeviceType: 0 is the CPU
    std::string_view device, allocated, reserved;
};

/// The profiler's description of an operator's arguments, as it wrote it.
struct OperatorTexts {
    std::string_view shapes, types, inputs;
};

/// An event. Texts that it does not contain are empty.
struct Event {
    std::string_view phase, category, name, pid, tid, time, duration;
    std::string_view device, stream, correlation, bytes, graph, graphNode; ///< from args
    std::string_view label;                                                ///< args.name of metadata events
    LaunchTexts launch;                                                    ///< of kernels
    CollectiveTexts collective;
    AllocatorTexts allocator;
    OperatorTexts arguments;    ///< of operators whose shapes tell what they compute
    bool hasCollective = false; ///< whether any text of `collective` is not empty

    void clear()
    {
        phase = category = name = pid = tid = time = duration = {};
        device = stream = correlation = bytes = graph = graphNode = label = {};
        launch = {};
        arguments = {};
        if (!allocator.device.empty()) { // true for few events
            allocator = {};
        }
        if (hasCollective) { // so is this
            collective = {};
            hasCollective = false;
        }
    }
};

/// Reads the object at the cursor. Unless the result is Good, the cursor stops somewhere inside the object.
Scan readEvent(JsonCursor& cursor, Event& event);

} // namespace ringside::importers::kineto
