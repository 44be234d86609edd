// SPDX-License-Identifier: Apache-2.0
// `ringside top --host`: what this machine is doing, also where nothing is recorded.
#pragma once

namespace ringside::cli {

/// Prints the machine once, as JSON if `json`. Returns the exit code.
int printHost(bool json);

/// Prints the machine every two seconds until it is interrupted. Returns the exit code.
int watchHost();

} // namespace ringside::cli
