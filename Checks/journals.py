# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The ranges that a cache folder claims to hold, read from its journals with code independent of Weir."""

import json
import struct

MAGIC = b"WEIRJRNL"
BLOCK = 65_536


def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


TABLE = crc_table()


def crc32c(data, start=0):
    """CRC-32C (RFC 3720), continued from the checksum of the preceding bytes."""
    value = start ^ 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ TABLE[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


class Journal:
    """A journal's header, and the runs that its records claim.

    `written` has the runs that were written and may not be durable: they are held if the data file has their
    checksums.
    """

    def __init__(self, path):
        self.path = path
        self.runs, self.written = Runs(), Runs()
        data = path.read_bytes()
        end = 20 + int.from_bytes(data[16:20], "little")
        checksum = int.from_bytes(data[end : end + 4], "little")
        if len(data) < end + 4 or data[:8] != MAGIC or crc32c(data[:end]) != checksum:
            raise ValueError(f"{path} is not a journal")
        self.header = json.loads(data[20:end])
        self.length = self.header.get("length")
        place = end + 4
        while place + 9 <= len(data):
            kind, size = struct.unpack_from("<BI", data, place)
            end = place + 5 + size
            if end + 4 > len(data) or crc32c(data[place:end], checksum) != struct.unpack_from("<I", data, end)[0]:
                break
            (checksum,) = struct.unpack_from("<I", data, end)
            self.take(kind, data[place + 5 : end])
            place = end + 4

    def take(self, kind, payload):
        if kind == 1:
            self.runs.add(*struct.unpack_from("<qq", payload))
        elif kind == 5:
            self.written.add(*struct.unpack_from("<qq", payload))
        elif kind == 3:
            for runs in (self.runs, self.written):
                runs.remove(*struct.unpack_from("<qq", payload))
        elif kind == 2:
            (self.length,) = struct.unpack("<q", payload)

    @property
    def name(self):
        return self.header["display"].rpartition("/")[2]

    def data(self):
        """The path of the journal's data file."""
        return self.path.with_suffix(".data")


def journals(stage, cache, is_running=False):
    """The journals of a cache folder; of a running Weir, without those that it is creating or removing."""
    found = []
    for path in stage.files(cache):
        if path.suffix != ".journal":
            continue
        try:
            found.append(Journal(path))
        except (FileNotFoundError, ValueError):
            if not is_running:
                raise
    return found


def queued(cache):
    """The names in a cache folder's download queue, each with whether it is paused."""
    try:
        data = (cache / "downloads.queue").read_bytes()
    except FileNotFoundError:
        return {}
    (checksum,) = struct.unpack_from("<I", data, 20)
    if data[:8] != b"WEIRDNLD" or crc32c(data[:20]) != checksum:
        raise ValueError(f"{cache} has something else instead of a download queue")
    place, entries = 24, {}
    while place + 9 <= len(data):
        kind, size = struct.unpack_from("<BI", data, place)
        end = place + 5 + size
        if end + 4 > len(data) or crc32c(data[place:end], checksum) != struct.unpack_from("<I", data, end)[0]:
            break
        (checksum,) = struct.unpack_from("<I", data, end)
        take_download(kind, data[place + 5 : end], entries)
        place = end + 4
    return dict(entries.values())


def take_download(kind, payload, entries):
    texts, place = [], 0
    for _ in range(3 if kind == 1 else 1):
        (count,) = struct.unpack_from("<I", payload, place)
        texts.append(payload[place + 4 : place + 4 + count].decode())
        place += 4 + count
    if kind == 1:
        entries[texts[0]] = (texts[2].rpartition("/")[2], payload[place + 1] == 1)
    elif kind == 2:
        entries.pop(texts[0], None)


class Runs:
    """A set of bytes as runs, in order."""

    def __init__(self):
        self.runs = []

    def add(self, lower, upper):
        merged = []
        for low, high in self.runs:
            if high < lower or low > upper:
                merged.append((low, high))
            else:
                lower, upper = min(low, lower), max(high, upper)
        merged.append((lower, upper))
        self.runs = sorted(merged)

    def remove(self, lower, upper):
        kept = []
        for low, high in self.runs:
            if low < lower:
                kept.append((low, min(high, lower)))
            if high > upper:
                kept.append((max(low, upper), high))
        self.runs = [(low, high) for low, high in kept if low < high]

    def covered(self, lower, upper):
        """How many bytes of a range are in the set."""
        return sum(max(0, min(high, upper) - max(low, lower)) for low, high in self.runs)

    def count(self):
        return sum(high - low for low, high in self.runs)
