# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The form of Weir's error messages."""

import re

from check_results import Failed, expect

# The name of the command, before its message.
SPEAKER = re.compile(r"^weir(?: [a-z]+)*: ")


def sentence(error, exit_status=None):
    """The one message on standard error; warnings and the parser's help may surround it.

    It must name its command, end like a sentence and show no internals of the program.
    """
    lines = [line for line in error.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("warning: ", "  "))]
    if exit_status == 2:
        # The parser also explains how the command is used.
        said = [line for line in said if not line.startswith(("Help: ", "Usage: "))]
        expect(said and SPEAKER.match(said[0]), f"it does not begin with the command's name: {error.strip()[:300]!r}")
    said = [SPEAKER.sub("", line) for line in said]
    if len(said) != 1:
        raise Failed(f"{len(said)} lines on standard error instead of one sentence: {error.strip()[:300]!r}")
    # The parser's own messages have no full stop, because the usage follows them.
    check(said[0] if exit_status != 2 else said[0].rstrip(".") + ".")
    return said[0]


def patience(text, start):
    """The sentence that tells how long Weir has waited for a silent server; None if the text does not have it.

    The sentence begins with `start`. Weir prints it after 3 s, or later on a busy machine, and never before.
    """
    found = re.search(re.escape(start) + r" for (\d+) s; Weir waits up to 30 s\.", text)
    expect(not found or int(found[1]) >= 3, f"the message came too early: {found and found[0]!r}")
    return found and found[0]


def check(text):
    """Expects one sentence for a person."""
    expect(text.endswith("."), f"this is not a sentence: {text!r}")
    expect(20 < len(text) < 500, f"this is too short or too long: {text!r}")
    # A path may have any name: the check's own folders have random names.
    words = re.sub(r"/\S*", "", text)
    for inside in ("Error(", "Optional(", "errno", "Swift.", "NIO", "0x"):
        expect(inside not in words, f"this shows internals of the program ({inside}): {text!r}")
