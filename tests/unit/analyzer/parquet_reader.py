# SPDX-License-Identifier: Apache-2.0
"""Reads a Parquet file as the format's documents say (parquet.thrift, Encodings.md, Thrift's compact protocol), without a line of the
writer. zstd is the system's library."""

import ctypes
import struct

ZSTD = ctypes.CDLL("libzstd.so.1")
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
INT64, DOUBLE, BYTE_ARRAY = 2, 5, 6
DATA_PAGE, DICTIONARY_PAGE = 0, 2


class Compact:
    """Values of Thrift's compact protocol; a struct is a dictionary by the numbers of fields."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def number(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def binary(self):
        size = self.varint()
        self.at += size
        assert self.at <= len(self.data)
        return self.data[self.at - size:self.at]

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        return {5: self.number, 6: self.number, 8: self.binary, 9: self.list, 12: self.struct}[kind]()

    def list(self):
        head = self.byte()
        count = head >> 4 if head >> 4 < 15 else self.varint()
        return [self.value(head & 15) for _ in range(count)]

    def struct(self):
        fields, last = {}, 0
        while head := self.byte():
            last += head >> 4
            assert head >> 4, "a field with a number of its own"
            fields[last] = self.value(head & 15)
        return fields


def hybrid(data, width, count):
    """(values of a hybrid of runs and packed bits, bytes that they took)."""
    reader, values = Compact(data), []
    while len(values) < count:
        head = reader.varint()
        if head & 1:
            size = (head >> 1) * width
            bits = int.from_bytes(data[reader.at:reader.at + size], "little")
            values += [bits >> (i * width) & ((1 << width) - 1) for i in range((head >> 1) * 8)]
            reader.at += size
        else:
            size = (width + 7) // 8
            values += [int.from_bytes(data[reader.at:reader.at + size], "little")] * (head >> 1)
            reader.at += size
    return values[:count], reader.at


def plain(data, kind, count):
    if kind != BYTE_ARRAY:
        return list(struct.unpack_from(f"<{count}{'q' if kind == INT64 else 'd'}", data))
    texts, at = [], 0
    for _ in range(count):
        size = struct.unpack_from("<I", data, at)[0]
        texts.append(bytes(data[at + 4:at + 4 + size]).decode())
        at += 4 + size
    assert at == len(data)
    return texts


def column(data, chunk, nullable):
    meta = chunk[3]
    assert meta[4] == 6, "zstd"
    start = meta.get(11, meta[9])
    at, end, values, dictionary, plain_bytes = start, start + meta[7], [], None, 0
    while at < end:
        reader = Compact(data, at)
        page = reader.struct()
        body = ctypes.create_string_buffer(max(1, page[2]))
        assert ZSTD.ZSTD_decompress(body, page[2], data[reader.at:reader.at + page[3]], page[3]) == page[2]
        body = body.raw[:page[2]]
        plain_bytes += reader.at - at + page[2]
        assert at == (meta[9] if not values and page[1] == DATA_PAGE else at)
        at = reader.at + page[3]
        if page[1] == DICTIONARY_PAGE:
            dictionary = plain(body, meta[1], page[7][1])
            continue
        count = page[5][1]
        known = [1] * count
        if nullable:
            size = struct.unpack_from("<I", body)[0]
            known, used = hybrid(body[4:4 + size], 1, count)
            assert used == size
            body = body[4 + size:]
        if page[5][2] == 8:
            places, used = hybrid(body[1:], body[0], sum(known)) if any(known) else ([], len(body) - 1)
            assert used == len(body) - 1
            there = iter([dictionary[place] for place in places])
        else:
            assert len(body) == 8 * sum(known)
            there = iter(plain(body, meta[1], sum(known)))
        values += [next(there) if each else None for each in known]
    assert at == end and len(values) == meta[5] and plain_bytes == meta[6]
    return values


def read(path):
    data = path.read_bytes()
    assert data[:4] == data[-4:] == b"PAR1"
    size = struct.unpack_from("<I", data, len(data) - 8)[0]
    reader = Compact(data, len(data) - 8 - size)
    footer = reader.struct()
    assert reader.at == len(data) - 8
    root, *leaves = footer[2]
    assert root[5] == len(leaves)
    table = {leaf[4].decode(): [] for leaf in leaves}
    for group in footer[4]:
        assert group[2] == sum(chunk[3][6] for chunk in group[1])
        for leaf, chunk in zip(leaves, group[1]):
            assert chunk[3][3] == [leaf[4]] and chunk[3][1] == leaf[1]
            table[leaf[4].decode()] += column(data, chunk, leaf[3] == 1)
    assert all(len(values) == footer[3] for values in table.values())
    return table
