// SPDX-License-Identifier: Apache-2.0
// Statically linked: the loader, and with it LD_PRELOAD, has no part in it.
#include <stdio.h>

int main(void)
{
    return puts("static") < 0;
}
