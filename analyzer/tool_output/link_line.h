// SPDX-License-Identifier: Apache-2.0
// The line in which infiniband-diags shows a link: iblinkinfo prints nothing else, ibqueryerrors prints it
// below a port with errors. Its format is that of print_port() in rdma-core's infiniband-diags/iblinkinfo.c:
//   LID PORT[ ] ==( 4X 53.125 Gbps Active/ LinkUp)==> [GUID] LID PORT[ ] "far node" ( Could be 106.25 Gbps)
#pragma once
#include "tool_output/reading.h"

#include <optional>
#include <string_view>

namespace ringside::tool_output {

[[nodiscard]] bool isLinkLine(std::string_view line);
/// Returns the port at the near end: number, LID, state, width, rate and far end, and its GUID and node where
/// the line has them (iblinkinfo -l). Null if the line has no number of a port.
[[nodiscard]] std::optional<PortReading> portOfLinkLine(std::string_view line);

} // namespace ringside::tool_output
