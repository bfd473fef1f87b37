# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""HLS lists as Weir gives them out: their addresses, their comparison with the origin's, and what they must not say."""

import re
from urllib.parse import urljoin

from check_results import equal, expect
from stage import waiting as waits
from stage import web

ADDRESS = re.compile(r'URI="([^"]*)"')

# An address below a list: its name, and a tilde with 75 letters.
GIVEN = re.compile(r"(?:[^/]+/)?~hls/~[A-Za-z0-9_-]{75}/[^/]+")


def addresses(text):
    """The addresses in a list, in their order."""
    found = []
    for line in text.splitlines():
        if line.startswith("#"):
            found += ADDRESS.findall(line)
        elif line:
            found.append(line)
    return found


def fetched(url, **headers):
    """A list that must be one.

    On a busy machine a live list may be late; the viewer then asks again, as the answer says.
    """
    fields = {name.replace("_", "-"): value for name, value in headers.items()}

    def on_time():
        answer = web.fetch(url, fields)
        return None if answer.status == 503 and answer.headers.get("retry-after") else answer

    answer = waits.until(on_time, 60, f"an answer other than 503 to {url.rpartition('/')[2]}", pause=0.5)
    equal(answer.status, 200, f"the status of {url.rpartition('/')[2]}, with {answer.text[:200]!r},")
    expect(answer.body.startswith(b"#EXTM3U"), f"the list begins with {answer.body[:40]!r}")
    return answer


def tree(url):
    """The answers of a list and of every list that it names, by URL."""
    found, waiting = {}, [url]
    while waiting:
        place = waiting.pop()
        if place in found:
            continue
        found[place] = fetched(place)
        for address in addresses(found[place].text):
            if address.endswith(".m3u8"):
                waiting.append(urljoin(place, address))
    return found


def without_addresses(text):
    """A list with a mark in place of each address."""
    lines = [ADDRESS.sub('URI="…"', line) if line.startswith("#") else "…" if line else line for line in text.split("\n")]
    return "\n".join(lines)


def expect_given(text, origin):
    """Expects that all addresses are Weir's own, and that the list names no host."""
    for address in addresses(text):
        if not address.startswith(("skd:", "data:")):
            expect(GIVEN.fullmatch(address), f"the address {address!r} is not one of Weir's")
    for host in (origin.one, origin.two):
        expect(str(host.port) not in text, "the list names a port of the origin")
    expect("http" not in text, "the list has an absolute address")
