# SPDX-License-Identifier: Apache-2.0
"""Reads an Arrow file as the format's documents say (Columnar.html, Schema.fbs, Message.fbs, File.fbs), without a line of the writer."""

import struct


def number(form, data, at):
    return struct.unpack_from("<" + form, data, at)[0]


class FlatTable:
    """A table of a FlatBuffer: its fields by their number in the schema."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.header = at - number("i", data, at)

    def place(self, slot):
        """Where the field is; None: it has its default."""
        size = number("H", self.data, self.header)
        offset = number("H", self.data, self.header + 4 + 2 * slot) if 4 + 2 * slot < size else 0
        return self.at + offset if offset else None

    def number(self, slot, form):
        at = self.place(slot)
        assert at is None or at % struct.calcsize(form) == 0, "a field is not aligned"
        return 0 if at is None else number(form, self.data, at)

    def target(self, slot):
        at = self.place(slot)
        return at + number("I", self.data, at)

    def table(self, slot):
        return FlatTable(self.data, self.target(slot))

    def text(self, slot):
        at = self.target(slot)
        return bytes(self.data[at + 4:at + 4 + number("I", self.data, at)]).decode()

    def tables(self, slot):
        at = self.target(slot)
        return [FlatTable(self.data, each + number("I", self.data, each)) for each in range(at + 4, at + 4 + 4 * number("I", self.data, at), 4)]

    def structs(self, slot, form):
        at = self.target(slot)
        assert (at + 4) % 8 == 0, "structs are not aligned"
        return [struct.unpack_from("<" + form, self.data, at + 4 + i * struct.calcsize("<" + form)) for i in range(number("I", self.data, at))]


def root(data):
    return FlatTable(data, number("I", data, 0))


def bodies(file, blocks):
    """(header of the message, its body) of each block of the footer."""
    for offset, size, length in blocks:
        assert offset % 8 == 0 and number("i", file, offset) == -1 and number("i", file, offset + 4) == size - 8
        message = root(file[offset + 8:offset + size])
        assert message.number(3, "q") == length
        yield message.table(2), file[offset + size:offset + size + length]


def values(kind, rows, nulls, validity, data):
    plain = struct.unpack_from(f"<{rows}{kind}", data)
    return [None if nulls and not validity[i // 8] >> i % 8 & 1 else value for i, value in enumerate(plain)]


def buffers(batch, body):
    for offset, length in batch.structs(2, "qq"):
        assert offset % 64 == 0
        yield body[offset:offset + length]


def read(path):
    """The columns: {name: values}."""
    file = path.read_bytes()
    assert file[:8] == b"ARROW1\0\0" and file[-6:] == b"ARROW1"
    length = number("i", file, len(file) - 10)
    footer = root(file[len(file) - 10 - length:len(file) - 10])
    fields = footer.table(1).tables(1)
    names = [field.text(0) for field in fields]
    kinds = ["i" if field.place(4) else {2: "q", 3: "d"}[field.number(2, "B")] for field in fields]
    dictionaries = {}
    for header, body in bodies(file, footer.structs(2, "qi4xq")):
        batch = header.table(1)
        _, offsets, text = buffers(batch, body)
        places = struct.unpack(f"<{batch.number(0, 'q') + 1}i", offsets)
        dictionaries[header.number(0, "q")] = [text[a:b].decode() for a, b in zip(places, places[1:])]
    columns = {name: [] for name in names}
    for batch, body in bodies(file, footer.structs(3, "qi4xq")):
        parts = buffers(batch, body)
        for place, ((rows, nulls), name, kind) in enumerate(zip(batch.structs(1, "qq"), names, kinds, strict=True)):
            column = values(kind, rows, nulls, next(parts), next(parts))
            texts = dictionaries.get(place)
            columns[name] += [value if value is None or texts is None else texts[value] for value in column]
    return columns
