# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The page of every Apple symbol in use: its declaration in our headers, to compare with Apple's."""

import json
import re
import subprocess
from collections import defaultdict

from debug_build import tool

from . import headers
from .passes import BASES, CHECKED, DEPENDS, TOP
from .toolchain import FRONTEND, ROOT, flags

PAGE = ROOT / "Documentation/AppleSymbols.md"
CLANG = re.compile(r'"(c:[^"]+)"')
MANGLED = re.compile(r"So(\d+)(?=[A-Za-z_])")
SWIFT = re.compile(r'"decl_usr":"(s:[^"]+)"')
LAYERS = ("AVFoundation", "AuthenticationServices", "CoreMedia", "Foundation", "ObjectiveC", "Darwin", "CoreFoundation")
HEAD = """# Apple's symbols in use

Every declaration of Apple's that Weir uses, as the headers in [Checks/apple/headers](../Checks/apple/headers) give it,
with the first system that has it. `Scripts/apple-check --write` writes this page from the sources, and
`Scripts/apple-check --symbols` fails when it does not match the sources.

We wrote the headers from the documentation. The compiler checks the sources against them; nothing on Linux checks them
against Apple's. With Xcode, compare a line with *Jump to Definition*: nullability, the main actor, `Sendable`, the
version. An empty version means that the member's type has it, or that the symbol belongs to Darwin's C library.
"""


def used(one):
    """The files that use each symbol, as one pass sees them: USRs of Clang, and USRs of the layers over the headers."""
    clang, swift = defaultdict(set), defaultdict(set)
    for name in [*BASES, *CHECKED, *TOP]:
        copies = one.copies(f"Sources/{name}")
        own = [copy for path, copy in copies if name not in BASES or DEPENDS.search(path.read_text())]
        if not own:
            continue
        primary = [word for copy in own for word in ("-primary-file", str(copy))]
        rest = [str(copy) for _, copy in copies if copy not in own]
        words = [
            FRONTEND, "-dump-ast", "-dump-ast-format", "json", *flags(one.folder), *one.words, "-module-name", name,
            "-parse-as-library", *primary, *rest,
        ]
        result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        for line in result.stdout.split('{"_kind":"source_file","filename":"')[1:]:
            file = json.loads('"' + line[: line.index('"') + 1]).split("/sources/")[-1]
            for usr in CLANG.findall(line):
                clang[usr].add(file)
            for match in MANGLED.finditer(line):
                clang["type:" + line[match.end() : match.end() + int(match[1])]].add(file)
            for usr in SWIFT.findall(line):
                if any(f"{len(layer)}{layer}" in usr for layer in LAYERS):
                    swift[usr].add(file)
    return clang, swift


def rows(passes):
    """The known declarations, the files that use each, and the files that use each symbol of the layers."""
    known = headers.all_declarations()
    by_type = {f"type:{usr.split(')')[-1].split('@')[-1]}": usr for usr in known if re.match(r"c:objc\((?:cs|pl)\)\w+$|c:@[ES]@\w+$", usr)}
    constants = {usr[2:]: usr for usr in known if usr.startswith("*@")}
    places, layers = defaultdict(set), defaultdict(set)
    for one in passes:
        clang, swift = used(one)
        for usr, files in clang.items():
            last = usr.split("@")[-1]
            key = usr if usr in known else by_type.get(usr) or (constants.get(last) if usr.startswith("c:@Ea") else None)
            if key:
                places[key] |= files
        for usr, files in swift.items():
            layers[usr] |= files
    return known, places, names(layers)


def names(layers):
    """The files that use each symbol of the layers, by the symbol's Swift name."""
    usrs = sorted(layers)
    text = "\n".join("$s" + usr[2:] for usr in usrs)
    words = [*tool("swift-demangle"), "-compact", "-simplified"]
    said = subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout
    found = defaultdict(set)
    for usr, name in zip(usrs, said.split("\n")):
        found[name] |= layers[usr]
    return found


def listed(files):
    return ", ".join(sorted({file.rsplit("/", 1)[-1].removesuffix(".swift") for file in files}))


def text(passes):
    known, places, layers = rows(passes)
    out = [HEAD]
    for framework in sorted({known[usr].framework for usr in places}):
        out.append(f"\n## {framework}\n\n| declaration | iOS | macOS | used in |\n|---|---|---|---|")
        for usr in sorted((usr for usr in places if known[usr].framework == framework), key=lambda usr: (known[usr].name, usr)):
            one = known[usr]
            shown = one.text.replace("|", "\\|")
            out.append(f"| `{shown}` | {one.since[0]} | {one.since[1]} | {listed(places[usr])} |")
    out.append("\n## What Apple declares in Swift\n\n| symbol | used in |\n|---|---|")
    out += [f"| `{name}` | {listed(files)} |" for name, files in sorted(layers.items()) if name]
    return "\n".join(out) + "\n"


def page(passes, writes):
    """Writes the page, or reports whether it matches the sources."""
    wanted = text(passes)
    if writes:
        PAGE.write_text(wanted)
        print(f"{PAGE.relative_to(ROOT)}: {wanted.count(chr(10) + '| `')} symbols")
        return True
    if PAGE.exists() and PAGE.read_text() == wanted:
        print(f"{PAGE.relative_to(ROOT)}: {wanted.count(chr(10) + '| `')} symbols, as the sources use them")
        return True
    print(f"{PAGE.relative_to(ROOT)} does not match the sources: run Scripts/apple-check --write")
    return False
