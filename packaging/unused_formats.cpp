// SPDX-License-Identifier: Apache-2.0
// libarchive's writer of tar names every other format, and a static link would bring them and what they need:
// libxml2 with 30 MB of ICU, cryptography, a newer C library. We write tar only; these stand for the others.
#include <archive.h>

extern "C" {

#define RINGSIDE_UNUSED_FORMAT(name)                                                                         \
    int archive_write_set_format_##name(archive*)                                                            \
    {                                                                                                        \
        return ARCHIVE_FATAL;                                                                                \
    }
RINGSIDE_UNUSED_FORMAT(7zip)
RINGSIDE_UNUSED_FORMAT(iso9660)
RINGSIDE_UNUSED_FORMAT(mtree)
RINGSIDE_UNUSED_FORMAT(mtree_classic)
RINGSIDE_UNUSED_FORMAT(warc)
RINGSIDE_UNUSED_FORMAT(xar)
RINGSIDE_UNUSED_FORMAT(zip)

} // extern "C"
