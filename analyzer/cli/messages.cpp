// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

namespace ringside::cli {
namespace {

bool isQuiet = false;

} // namespace

void silenceNotes()
{
    isQuiet = true;
}

bool printsNotes()
{
    return !isQuiet;
}

} // namespace ringside::cli
