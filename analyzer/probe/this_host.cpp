// SPDX-License-Identifier: Apache-2.0
#include "probe/this_host.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace ringside::probe {

std::string hostName()
{
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

std::string environmentValue(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

} // namespace ringside::probe
