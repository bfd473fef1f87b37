# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""What the command says, kept as text in the folder `texts`, so that no word of it changes unseen.

Folders and secrets of a run are written as their names. With WEIR_CHECKS_KEEP_TEXTS=1 what is said is kept.
"""

import os
import re
from pathlib import Path

from board import expect

FOLDER = Path(__file__).resolve().parent / "texts"
KEEP = os.environ.get("WEIR_CHECKS_KEEP_TEXTS") == "1"


def shape(text, names):
    """A text without what is different each time; `names` are what stands for it, by what it was."""
    for value, name in sorted(names.items(), key=lambda each: -len(each[0])):
        text = text.replace(value, name)
    return re.sub(r"\b[0-9a-f]{32}\b", "SECRET", text)


def compare(name, text, names=()):
    """Fails if a text is not the one that is kept; says how long it is."""
    path = FOLDER / f"{name}.txt"
    said = shape(text, dict(names))
    if KEEP:
        FOLDER.mkdir(exist_ok=True)
        path.write_text(said)
    expect(path.exists(), f"no text is kept as {path.name}; WEIR_CHECKS_KEEP_TEXTS=1 keeps it")
    kept = path.read_text()
    expect(said == kept, f"it says\n{said}\nwhere this was kept:\n{kept}")
    return f"{len(said.splitlines())} lines"
