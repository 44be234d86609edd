# SPDX-License-Identifier: Apache-2.0
"""The functions that a 64-bit shared library exports, by its dynamic symbol table: a bare machine has no binutils."""

import pathlib
import struct

SHT_DYNSYM = 11
FUNCTIONS = (2, 10)  # STT_FUNC, STT_GNU_IFUNC


def exports(path):
    """Their names, sorted, without their versions."""
    data = pathlib.Path(path).read_bytes()
    at, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3a)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, at + number * size) for number in range(count)]
    names = set()
    for section in sections:
        if section[1] == SHT_DYNSYM:
            strings = sections[section[6]][4]
            for symbol in range(section[4], section[4] + section[5], section[9]):
                name, info, _, index = struct.unpack_from("<IBBH", data, symbol)
                if info & 15 in FUNCTIONS and info >> 4 and index:
                    begin = strings + name
                    names.add(data[begin:data.index(b"\0", begin)].decode())
    return sorted(names)
