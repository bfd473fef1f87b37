# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The data that the program of commit 4550d8f wrote, Fixtures/format-1, and the rule for its resources' bytes."""

import json
import struct

from stage import place

FOLDER = place.ROOT / "Fixtures" / "format-1"
HOST = "http://fixture.example"
STEP = 0x9E3779B97F4A7C15


def plain(seed, size):
    """The bytes of a resource: a mark that tells its type, then 64-bit words that each tell their place."""
    words = b"".join(
        struct.pack(">Q", ((number + 1) * STEP + seed * seed * 0x1000193) % 2**64) for number in range(size // 8 + 1)
    )
    return (b"fLaC\0\0\0\x22" + words[8:])[:size]


def resources():
    """The expected content of the cache folder."""
    return json.loads((FOLDER / "contents.json").read_text())


def options(resource):
    """The arguments that name a resource to `weir get`, without an origin."""
    words = [resource["url"], "--offline"]
    if resource.get("account"):
        words += ["--account", resource["account"]]
    if resource.get("isImmutable"):
        words += ["--immutable"]
    for name in resource.get("volatileQuery", []):
        words += ["--volatile-query", name]
    if resource.get("decrypt"):
        words += ["--decrypt", resource["decrypt"], "--key-file", FOLDER / "config" / resource["key"]]
    if resource.get("vector"):
        words += ["--iv", resource["vector"]]
    return words
