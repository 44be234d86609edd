// SPDX-License-Identifier: Apache-2.0
// A collector that was built on a newer machine.
int ringside_newer_function(void);
__attribute__((constructor)) static void start(void)
{
    ringside_newer_function();
}
