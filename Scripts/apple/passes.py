# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""One pass: the sources as one system sees them, with only the declarations that its lowest checked version has."""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from . import conditions
from .toolchain import FEATURES, FRONTEND, HEADERS, OVERLAYS, ROOT, call, flags

SINCE = re.compile(r"SINCE\((ios_\w+), (macos_\w+)\)")
# The modules that an application compiles, in the order of their dependencies. The passes for the lowest systems
# compile all of their bodies. The passes for the newest systems compile only the bodies in files with
# `#if canImport(Darwin)` or the like.
BASES = [
    "WeirSource", "WeirAudio", "WeirLive", "WeirPlayback", "WeirHTTP", "WeirCache", "WeirClouds", "WeirLoader",
    "WeirHLS", "WeirSharing", "WeirTier",
]
# Modules whose code is mainly for Apple's platforms: the data-flow analysis runs on them, too.
CHECKED = ["WeirCipher", "WeirAVFoundation", "WeirAudioToolbox", "WeirURLSession"]
# The modules above all others.
TOP = ["Weir", "WeirPlayer", "WeirSwiftUI"]
# On macOS, Weir needs these two modules, and a folder of WeirClouds. All three need SwiftNIO, which is not built for
# Apple on this machine. The check uses the modules' declarations as far as the compiler understands them, ignores
# their other errors, and leaves the folder out.
OF_NIO = ["WeirNIOTransport", "WeirSharingSocket"]
LEFT_OUT = ["Sources/WeirClouds/OAuth/Loopback/"]
TOLERANT = ["-experimental-allow-module-with-compiler-errors"]
LAYERS = [
    "ObjectiveC", "CoreFoundation", "Darwin", "Foundation", "CoreMedia", "AVFoundation", "SwiftUI", "AVKit",
    "AuthenticationServices", "Network", "Crypto", "GRDB", "Metrics",
]
# The compiler's message when it has crashed.
CRASHED = "Please submit a bug report"
DEPENDS = re.compile(r"^\s*#(?:if|elseif)\b.*\b(?:os|canImport)\(", re.MULTILINE)


@dataclass
class Pass:
    """A system, its lowest checked version, and the folder for the results."""

    system: str
    floor: tuple[int, int]
    build: Path
    patches: dict[str, str] = field(default_factory=dict)

    count = 0
    # The marks of the modules that are compiled before the next one.
    made: list[Path] = field(default_factory=list)

    @property
    def name(self):
        return f"{self.system} {self.floor[0]}"

    @property
    def folder(self):
        return self.build / f"{self.system}-{self.floor[0]}"

    @property
    def is_lowest(self):
        return self.floor[0] < 26

    def prepare(self):
        """Writes a header that marks newer declarations, and compiles the layers between Swift and the headers."""
        for name in ("cache", "modules", "sources"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        write(self.folder / "Floor.h", floor_header(self.system, self.floor))
        for header in (ROOT / "Sources").glob("C*/include/C*.h"):
            # The module map that SwiftPM makes for a C or Objective-C module of the package.
            own = f'module {header.stem} {{\n    header "{header}"\n    export *\n}}\n'
            write(self.folder / "own" / header.stem / "module.modulemap", own)
        inputs = [*HEADERS.rglob("*.h"), *HEADERS.rglob("*.modulemap"), *OVERLAYS.rglob("*.swift"), Path(__file__)]
        if self.is_made("layers", inputs):
            return ""
        for name in LAYERS:
            files = sorted(str(path) for path in (OVERLAYS / name).glob("*.swift"))
            underlying = ["-import-underlying-module"] if (HEADERS / name).exists() else []
            said = self.emit(name, files, underlying)
            if said:
                return said
        return self.mark("layers", inputs)

    def emit(self, name, files, words=()):
        """Compiles a module for its declarations."""
        output = self.folder / "modules" / f"{name}.swiftmodule"
        return call(
            [
                FRONTEND, "-emit-module", *flags(self.folder), "-module-name", name, "-parse-as-library",
                "-experimental-skip-all-function-bodies", *words, "-o", str(output), *files,
            ],
            self.folder,
        )

    def copies(self, under):
        """The Swift files of a folder as this system sees them; only changed copies are written."""
        copies = []
        for path in sorted((ROOT / under).rglob("*.swift")):
            name = str(path.relative_to(ROOT))
            if any(name.startswith(start) for start in LEFT_OUT):
                continue
            text = self.patches.get(name) or path.read_text()
            copy = self.folder / "sources" / name
            write(copy, conditions.rewritten(text, self.system, self.floor))
            copies.append((path, copy))
        self.count += len(copies)
        return copies

    def is_made(self, name, inputs):
        mark = self.folder / f"{name}.made"
        return mark.exists() and mark.read_text() == digest(inputs)

    def mark(self, name, inputs):
        (self.folder / f"{name}.made").write_text(digest(inputs))
        return ""

    def base(self, name):
        """Compiles a base module's declarations, and checks its bodies."""
        copies = self.copies(f"Sources/{name}")
        files = [str(copy) for _, copy in copies]
        inputs = [*(copy for _, copy in copies), self.folder / "layers.made", *self.made]
        self.made.append(self.folder / f"{name}.made")
        if self.is_made(name, inputs):
            return ""
        own = [str(copy) for path, copy in copies if DEPENDS.search(path.read_text())]
        said = self.emit(name, files, settings())
        if not said and (self.is_lowest or own):
            said = self.typecheck(name, files, settings(), () if self.is_lowest else own)
        return said or self.mark(name, inputs)

    def typecheck(self, name, files, words, only=()):
        rest = [file for file in files if file not in only] if only else files
        primary = [word for file in only for word in ("-primary-file", file)]
        return call(
            [FRONTEND, "-typecheck", *flags(self.folder), "-module-name", name, "-parse-as-library", *words, *primary, *rest],
            self.folder,
            tolerates=TOLERANT[0] in words,
        )

    def analyse(self, name, files, only=()):
        """Compiles up to the data-flow analysis: reads before initialization, captures in C callbacks, races."""
        rest = [file for file in files if file not in only] if only else files
        primary = [word for file in only for word in ("-primary-file", file)]
        words = [
            FRONTEND, "-emit-sil", *flags(self.folder), *settings(), "-module-name", name, "-parse-as-library",
            "-o", "/dev/null", *primary, *rest,
        ]
        said = call(words, self.folder)
        if CRASHED in said:
            # The analysis of races crashes on some wrong closures; without it, the compiler reports their errors.
            return call([*words, "-Xllvm", "-sil-disable-pass=send-non-sendable"], self.folder) or said
        return said

    def check(self, name):
        """Checks a whole module for Apple's platforms."""
        files = [str(copy) for _, copy in self.copies(f"Sources/{name}")]
        return self.analyse(name, files) or self.emit(name, files, settings())

    @property
    def words(self):
        """The options for a module that imports Weir."""
        return [*settings(), *self.tolerance]

    @property
    def tolerance(self):
        return TOLERANT if self.system == "macOS" else []

    def top(self, name):
        """Checks a module above all others."""
        files = [str(copy) for _, copy in self.copies(f"Sources/{name}")]
        said = self.emit(name, files, self.words)
        return said or self.typecheck(name, files, self.words)

    def partly(self, name):
        """Compiles the declarations of a module that needs SwiftNIO, as far as the compiler understands them."""
        return self.emit(name, [str(copy) for _, copy in self.copies(f"Sources/{name}")], self.words)

    def example(self):
        """Checks the player in Examples: its models, which Linux compiles unchanged, and its views."""
        files = [str(copy) for _, copy in self.copies("Examples/PlayerModel")]
        said = self.emit("PlayerModel", files, self.tolerance)
        return said or self.example_views()

    def example_views(self, only=()):
        """Checks the views, or one of them with the others as context."""
        files = [str(copy) for _, copy in self.copies("Examples/Player")]
        return self.typecheck("Player", files, self.tolerance, only)

    def check_file(self, path):
        """Checks one file with the others of its module as context."""
        if path.startswith("Examples/"):
            self.copies("Examples/Player")
            return self.example_views([str(self.folder / "sources" / path)])
        name = path.split("/")[1]
        copies = self.copies(f"Sources/{name}")
        own = [str(copy) for source, copy in copies if source == ROOT / path]
        if name in TOP:
            return self.typecheck(name, [str(copy) for _, copy in copies], self.words, own)
        if name in BASES:
            return self.typecheck(name, [str(copy) for _, copy in copies], settings(), own)
        return self.analyse(name, [str(copy) for _, copy in copies], own)


def settings():
    """The compiler settings of every target."""
    return ["-package-name", "weir"] + [word for feature in FEATURES for word in ("-enable-upcoming-feature", feature)]


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def digest(paths):
    sum = hashlib.sha256()
    for path in sorted(paths):
        sum.update(str(path).encode() + b"\0" + path.read_bytes())
    return sum.hexdigest()


def version(word):
    """`ios_11_2` as numbers; None if the system never had the declaration."""
    numbers = word.split("_")[1:]
    return None if numbers == ["none"] else tuple(int(number) for number in numbers)


def floor_header(system, floor):
    """The header that defines SINCE: it makes declarations unavailable that a system does not have at `floor`."""
    pairs = sorted({pair for path in HEADERS.rglob("*.h") for pair in SINCE.findall(path.read_text())})
    first = system == "iOS"
    lines = [f"#define SINCE(ios, macos) SINCE_##{'ios' if first else 'macos'}"]
    for word in sorted({pair[0 if first else 1] for pair in pairs}):
        had = version(word)
        if had is None:
            meaning = f'__attribute__((unavailable("{system} has none of it")))'
        elif had > floor:
            dotted = ".".join(map(str, had))
            meaning = f'__attribute__((unavailable("{system} has it from {dotted} on")))'
        else:
            meaning = ""
        lines.append(f"#define SINCE_{word} {meaning}".rstrip())
    return "\n".join(lines) + "\n"
