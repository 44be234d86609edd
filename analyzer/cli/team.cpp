// SPDX-License-Identifier: Apache-2.0
#include "cli/team.h"

namespace ringside::cli {
namespace {

stretches::Team* s_team = nullptr; // NOLINT: set once, before the command runs

} // namespace

stretches::Team* team()
{
    return s_team;
}

void setTeam(stretches::Team& team)
{
    s_team = &team;
}

} // namespace ringside::cli
