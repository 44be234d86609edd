// SPDX-License-Identifier: Apache-2.0
#include "output/messages.h"

namespace ringside::output {
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

} // namespace ringside::output
