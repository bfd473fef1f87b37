# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Flame graphs: one rectangle for each function of each stack, as wide as its share of the samples."""

import collections
import html
import re
import subprocess
import zlib

WIDTH, HEIGHT, LETTER = 1200, 17, 7
# Narrower rectangles are left out.
NARROWEST = 0.6


class Box:
    """A function at one place of a stack: its number of samples, and the functions that it called."""

    def __init__(self):
        self.count = 0
        self.called = collections.defaultdict(Box)


def drawn(stacks, title):
    """A picture of counted stacks. A stack is a tuple of frames, outermost first; a frame is a name and a file."""
    top = Box()
    for frames, count in stacks.items():
        box = top
        box.count += count
        for name, _ in frames:
            box = box.called[name]
            box.count += count
    readable = demangled({name for frames in stacks for name, _ in frames})
    shapes = []
    depth = put(top, 0, 0, top.count, readable, shapes)
    height = (depth + 3) * HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="6" y="{HEIGHT - 4}">{html.escape(title)}: {top.count} samples</text>',
    ]
    for left, level, width, color, name, share in shapes:
        y = height - (level + 1) * HEIGHT
        shown = html.escape(name[: int(width / LETTER)]) if width > 3 * LETTER else ""
        lines.append(
            f"<g><title>{html.escape(name)}, {share:.1%}</title>"
            f'<rect x="{left:.1f}" y="{y}" width="{width:.1f}" height="{HEIGHT - 1}" fill="{color}"/>'
            f'<text x="{left + 2:.1f}" y="{y + 12}">{shown}</text></g>'
        )
    return "\n".join([*lines, "</svg>", ""])


def put(box, left, level, total, readable, shapes):
    """The rectangles of the functions that a box called; returns the number of their levels."""
    deepest = level
    for name, called in sorted(box.called.items()):
        width = called.count / total * WIDTH
        if width >= NARROWEST:
            shown = readable.get(name, name)
            shapes.append((left, level, width, color(name), shown, called.count / total))
            deepest = max(deepest, put(called, left, level + 1, total, readable, shapes))
        left += width
    return deepest


def color(name):
    """A colour for each function: warm for Swift and C++, blue for others."""
    value = zlib.crc32(name.encode())
    if re.match(r"_*\$s|swift_|_Z", name):
        return f"hsl({20 + value % 30}, 85%, {65 + value // 31 % 15}%)"
    return f"hsl({190 + value % 30}, 45%, {70 + value // 31 % 15}%)"


def demangled(names):
    """Swift's mangled names in readable form, if a toolchain is available."""
    mangled = sorted(name for name in names if re.match(r"_?\$s", name))
    try:
        said = subprocess.run(
            ["swift", "demangle", "--compact", "--simplified"],
            input="\n".join(mangled), capture_output=True, text=True, check=True, timeout=60,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return dict(zip(mangled, said.splitlines(), strict=False))
