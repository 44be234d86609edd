// SPDX-License-Identifier: Apache-2.0
// The program `ringside`.
#include "cli/program.h"

int main(int count, char** arguments)
{
    return ringside::cli::runProgram("ringside", count, arguments);
}
