// SPDX-License-Identifier: Apache-2.0
// `ringside top --host`: what this machine is doing, also where nothing is recorded.
#pragma once
#include <string>

namespace ringside::cli {

/// Prints the machine once, as JSON if `json`. Returns the exit code.
/// `dcgmFile`: the text of NVIDIA's dcgm-exporter, read anew for each print; empty: none.
int printHost(bool json, const std::string& dcgmFile);

/// Prints the machine every two seconds until it is interrupted. Returns the exit code.
int watchHost(const std::string& dcgmFile);

} // namespace ringside::cli
