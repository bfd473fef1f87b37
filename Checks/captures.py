# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Parses a station's recorded answer without Weir: head, sound, titles; packets of MP3 and AAC, links of Ogg."""

import re
import struct
from collections import namedtuple
from dataclasses import dataclass, field

from check_results import expect
from servers.icecast import pages, sample_rate

HEAD_END = re.compile(rb"\r?\n\r?\n")

# The offset of a packet in the sound, its size, and its number of samples.
Frame = namedtuple("Frame", "offset size samples")


@dataclass
class Stream:
    """An answer of a station."""

    status: str
    fields: dict
    # The bytes of sound, without titles.
    sound: bytes
    # (offset in the sound, the block as received), without empty blocks.
    titles: list = field(default_factory=list)


def stream(received):
    """Parses an answer; an incomplete last block is left out."""
    end = HEAD_END.search(received)
    expect(end, f"no header in {received[:200]!r}")
    first, *lines = re.split(rb"\r?\n", received[: end.start()])
    fields = {}
    for line in lines:
        name, _, value = line.partition(b":")
        fields[name.decode("latin-1").strip().lower()] = value.decode("latin-1").strip()
    body = received[end.end() :]
    if "chunked" in fields.get("transfer-encoding", "").lower():
        body = without_chunks(body)
    sound, titles = without_titles(body, int(fields.get("icy-metaint") or 0))
    return Stream(first.decode("latin-1"), fields, sound, titles)


def without_chunks(body):
    """Removes the chunked coding (RFC 9112 7.1); the body may end at any byte."""
    pieces, at = [], 0
    while (end := body.find(b"\r\n", at)) >= 0:
        size = int(body[at:end].partition(b";")[0], 16)
        if size == 0:
            break
        pieces.append(body[end + 2 : end + 2 + size])
        at = end + 2 + size + 2
    return b"".join(pieces)


def without_titles(body, interval):
    """Separates sound and titles.

    After each interval of sound, one byte gives the length of a title in units of 16 bytes, and the title follows.
    """
    if interval == 0:
        return body, []
    pieces, titles, at, length = [], [], 0, 0
    while at < len(body):
        pieces.append(body[at : at + interval])
        length += len(pieces[-1])
        at += interval
        if at >= len(body):
            break
        size = body[at] * 16
        block = body[at + 1 : at + 1 + size]
        if size and len(block) == size:
            titles.append((length, block))
        at += 1 + size
    return b"".join(pieces), titles


BIT_RATES = {
    1: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
SAMPLE_RATES = (44100, 48000, 32000)


def mp3_frame(data, at):
    """Size and samples of the layer III frame at an offset; None if no frame is there (ISO 11172-3 2.4.1.3)."""
    head = int.from_bytes(data[at : at + 4], "big")
    version, layer, bits, rate, padding = head >> 19 & 3, head >> 17 & 3, head >> 12 & 15, head >> 10 & 3, head >> 9 & 1
    if len(data) < at + 4 or head >> 21 != 0x7FF or version == 1 or layer != 1 or bits in (0, 15) or rate == 3:
        return None
    is_first = version == 3
    sample_rate = SAMPLE_RATES[rate] >> (0 if is_first else 1 if version == 2 else 2)
    kilobits = BIT_RATES[1 if is_first else 2][bits]
    return (144000 if is_first else 72000) * kilobits // sample_rate + padding, 1152 if is_first else 576


def adts_frame(data, at):
    """The same for AAC with ADTS headers (ISO 14496-3 1.A.2.2)."""
    head = data[at : at + 7]
    if len(head) < 7 or head[0] != 0xFF or head[1] & 0xF6 != 0xF0:
        return None
    size = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
    return (size, 1024) if size > 7 else None


def frames(data, frame=mp3_frame, agreeing=4):
    """The whole frames of a stream that may begin inside a frame.

    At the start and after damage, a frame counts only if `agreeing` frames follow each other, or fewer up to the end.
    """
    found, at, is_sure = [], 0, False
    while at < len(data):
        here = frame(data, at)
        if here and not is_sure:
            ahead = at
            for _ in range(agreeing):
                there = frame(data, ahead)
                if there is None:
                    break
                ahead += there[0]
            is_sure = there is not None or ahead >= len(data)
        if not here or not is_sure:
            at, is_sure = at + 1, False
            continue
        size, samples = here
        if at + size > len(data):
            break
        found.append(Frame(at, size, samples))
        at += size
    return found


def links(data):
    """The links of a chained Ogg stream with one logical stream at a time; the last link may be cut anywhere."""
    found = []
    whole = last_page_end(data)
    for page, _ in pages(data[:whole]):
        if page[5] & 2:
            found.append(bytearray())
        expect(found, "the stream begins without its header pages")
        found[-1] += page
    return [bytes(link) for link in found]


def last_page_end(data):
    """The offset where the last whole page ends."""
    at = 0
    while data[at : at + 4] == b"OggS" and at + 27 <= len(data):
        count = data[at + 26]
        end = at + 27 + count + sum(data[at + 27 : at + 27 + count])
        if at + 27 + count > len(data) or end > len(data):
            break
        at = end
    return at


def link_rate(link):
    """The sample rate of a link."""
    return sample_rate(link[: 27 + link[26] + sum(link[27 : 27 + link[26]])])


def comment(link, name):
    """The first value of a comment in a link's header, or None (Vorbis I 5.2.1)."""
    for mark in (b"\x03vorbis", b"OpusTags"):
        at = link.find(mark)
        if at >= 0:
            break
    else:
        return None
    # The comments of the checks fit into one page, so no page header interrupts them.
    at += len(mark)
    at += 4 + struct.unpack_from("<I", link, at)[0]
    (count,) = struct.unpack_from("<I", link, at)
    at += 4
    for _ in range(count):
        (size,) = struct.unpack_from("<I", link, at)
        key, _, value = link[at + 4 : at + 4 + size].decode().partition("=")
        if key.upper() == name:
            return value
        at += 4 + size
    return None
