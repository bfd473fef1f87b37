# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Screens of the terminal player, stored as text in the folder `screens`.

Times, bars and levels change with every play, so only their shape is compared: any digit equals any other, and so do
bars of equal width. WEIR_CHECKS_KEEP_SCREENS=1 stores the new screens.
"""

import os
import re
from pathlib import Path

from check_results import expect

FOLDER = Path(__file__).resolve().parent / "screens"
KEEP = os.environ.get("WEIR_CHECKS_KEEP_SCREENS") == "1"


def shape(screen):
    """A screen without the parts that differ between runs."""
    lines = []
    for line in screen.splitlines():
        # The typed command names folders.
        if "prompt$" in line:
            continue
        line = re.sub(r"[━●═─·■|]{3,}", lambda found: "=" * len(found[0]), line)
        # weir top shows a rate once it has seen two states of the server.
        line = re.sub(r", [\d.]+ [kMG]?B/s", "", line)
        line = re.sub(r"\d", "0", line)
        lines.append(line.rstrip())
    return "\n".join(lines).strip("\n") + "\n"


def compare(name, screen):
    """Fails if a screen differs in shape from the stored one; returns its size as a phrase."""
    path = FOLDER / f"{name}.txt"
    if KEEP:
        FOLDER.mkdir(exist_ok=True)
        path.write_text(screen.strip("\n") + "\n")
    expect(path.exists(), f"the expected screen {path.name} is missing; WEIR_CHECKS_KEEP_SCREENS=1 writes it")
    kept = path.read_text()
    expect(shape(screen) == shape(kept), f"the screen is\n{screen}\nwhere this was expected:\n{kept}")
    return f"as {path.name}, {len(screen.splitlines())} lines"
