// SPDX-License-Identifier: Apache-2.0
// Stands for a C library of a later version, which only the linker sees.
__attribute__((visibility("default"))) int ringside_newer_function(void);
int ringside_newer_function(void)
{
    return 0;
}
