// SPDX-License-Identifier: Apache-2.0
#include "report/format.h"

#include <algorithm>

namespace ringside::report {

std::string nameOf(const Format& format)
{
    std::string name(format.id);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

} // namespace ringside::report
