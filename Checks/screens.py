# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Screens of the terminal player, kept as text in the folder `screens`.

Times, bars and levels change with every play: of each only its shape is compared, so a digit is as good as another
and a bar as another of that width. With WEIR_CHECKS_KEEP_SCREENS=1 what is seen is kept.
"""

import os
import re
from pathlib import Path

from board import expect

FOLDER = Path(__file__).resolve().parent / "screens"
KEEP = os.environ.get("WEIR_CHECKS_KEEP_SCREENS") == "1"


def shape(screen):
    """A screen without what is different each time."""
    lines = []
    for line in screen.splitlines():
        # The command that was typed names folders.
        if "prompt$" in line:
            continue
        line = re.sub(r"[━●═─·■|]{3,}", lambda found: "=" * len(found[0]), line)
        line = re.sub(r"\d", "0", line)
        lines.append(line.rstrip())
    return "\n".join(lines).strip("\n") + "\n"


def compare(name, screen):
    """Fails if a screen has another shape than the one that is kept; says how large it is."""
    path = FOLDER / f"{name}.txt"
    if KEEP:
        FOLDER.mkdir(exist_ok=True)
        path.write_text(screen.strip("\n") + "\n")
    expect(path.exists(), f"no screen is kept as {path.name}; WEIR_CHECKS_KEEP_SCREENS=1 keeps it")
    kept = path.read_text()
    expect(shape(screen) == shape(kept), f"the screen is\n{screen}\nwhere this was kept:\n{kept}")
    return f"as {path.name}, {len(screen.splitlines())} lines"
