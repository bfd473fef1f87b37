# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The commands of README.md and Documentation/Program.md, run as written, and the names in README and CONTRIBUTING.

Which commands run: every line of a fenced block (without a language, or sh, bash, console) that begins with `$ `. In
a block without such a line: every line whose first word is in PROGRAMS. A line is left out if it has an ellipsis (a
value that the reader must know), or if it matches LEFT_OUT, which gives the reason.

The reader has a home folder with the sources and the station of the README. A server runs for a block that needs its
figures; the player has no window, and the sound card is silent. Each block begins in its own folder, which has the
files that the block names and does not make. A proxy leads every host of the README to a server on this machine. For
https://HOST/… the server has a certificate of an authority that the reader trusts. Only the end of a path matters: a
folder, or a name with a media extension. A path without a dot is a radio station, and any other path is missing. The
check stops an endless command when its output says that it serves or plays.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time

import named
from check_results import Failed, Skipped, equal, expect
from servers import recorder
from servers.recorder import Recorder
from stage import certificates, hls, media, place, waiting
from stage.origin import ForwardProxy
from stage.program import Program
from stage.stage import Stage
from targets import make, script

PROGRAMS = ("weir", "make", "export", "curl", "cat", "age-keygen", "age", "openssl", "systemctl", "sudo", "mpv", "ffplay")
LEFT_OUT = {
    r"^(make|\.ci/run|Scripts/)": "the gate runs it elsewhere, which is checked by name",
    r"\bsudo\b|^systemctl": "it changes the machine",
    r"\bweir login\b": "a person answers in a browser; the topic newcomer logs in",
    r"\bweir (open|top)\b": "it needs a screen; the topics console and terminal open both",
    r"\bweir cache clear\b(?!.*--yes)": "it asks a person; the topic everyday answers",
}
# Commands that do not end on their own.
ENDLESS = re.compile(r"\bweir (serve\b|play (?!-)(?!.*--sink wav))")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"<!-- (?:Examples|Tests|given)\S* .*-->\s*$")
HOST = re.compile(r"https?://([\w.-]+\.\w+)")
SHELL = ("bash", "-e", "-o", "pipefail", "-c")
LIMIT = 90


def run(results):
    with Stage("readme") as stage:
        with results.check("the gate runs every command that README, CONTRIBUTING and make name") as check:
            equal(list(named.faults()), [], "the faults")
            told = set().union(*map(named.named, named.DOCUMENTS))
            check.figure = f"{len(told)} commands, {len(named.EXCEPTIONS)} left out"
        with results.check("an unused or missing command is found") as check:
            check.figure = found_out(stage)
        with results.check("make without a target lists the targets"):
            expect("make demo " in make("help"), "it does not")
        with results.check("Scripts/measure-tree counts the tree") as check:
            check.figure = script("Scripts/measure-tree").strip().splitlines()[-1]
        with results.check("a measure of the benchmarks runs") as check:
            if shutil.which("cc") is None:
                raise Skipped("this machine has no cc")
            text = script("Benchmarks/run", "--quick", "start")
            check.figure = text.strip().splitlines()[-1]
        pages = {name: (place.ROOT / name).read_text() for name in ("README.md", "Documentation/Program.md")}
        internet = Internet(stage, sorted(set(HOST.findall("".join(pages.values())))))
        wrong(results, stage, internet)
        for name, text in pages.items():
            follow(results, stage, internet, name, text)


def found_out(stage):
    """Checks a tree in which the documents name more commands than the gate runs; returns the found commands."""
    root = stage.new_folder("tree")
    for folder in (".ci", "Checks/topics", "Scripts"):
        (root / folder).mkdir(parents=True)
    for name in ("Scripts/run", "Scripts/idle"):
        (root / name).write_text("")
        (root / name).chmod(0o755)
    (root / "Makefile").write_text("one: three\n\t@Scripts/run\n\ntwo:\n\t@Scripts/idle\n\nthree:\n\t@Scripts/run -x\n\nfour: two\n")
    (root / ".ci/run").write_text('step "one" 10 Scripts/run --all\n')
    (root / "README.md").write_text("```\nmake one\nmake two  # make it\nmake gone\n```\n`Scripts/idle`, `Scripts/gone x`, `make four`")
    seen = [fault.split("'")[1] for fault in named.faults(root, ("README.md",))]
    equal(seen, ["Scripts/gone", "Scripts/idle", "make four", "make gone", "make two"], "the found commands")
    (root / "Checks/topics/a.py").write_text("make('two', 'X=1')\n")
    seen = [fault.split("'")[1] for fault in named.faults(root, ("README.md",))]
    equal(seen, ["Scripts/gone", "make gone"], "the commands found beside a topic that makes some")
    return ", ".join(seen)


def blocks(text):
    """The blocks of commands: the lines of each, joined where a backslash continues them."""
    for match in FENCE.finditer(text):
        if match[1] not in ("", "sh", "bash", "console") or QUOTED.search(text[:match.start()]):
            continue
        lines = match[2].replace("\\\n", "").splitlines()
        prompted = [line[2:] for line in lines if line.startswith("$ ")]
        commands = prompted or [line for line in lines if line.split(" ")[0] in PROGRAMS]
        if commands:
            yield commands, match[2]


def reason(line):
    """The reason why a command does not run, or None."""
    line = line.partition("  #")[0].strip()
    if "…" in line:
        return "the reader must replace the ellipsis"
    return next((why for pattern, why in LEFT_OUT.items() if re.search(pattern, line)), None)


def wrong(results, stage, internet):
    with results.check("a README's command that does not work is a failure") as check:
        text = "```\nweir play a.mp3 --lout\n```\n\n```swift\nweir()\n```\n\n```\n$ weir ls nowhere:/  # a folder\nweir\n```\n"
        found = [line for lines, _ in blocks(text) for line in lines]
        equal(found, ["weir play a.mp3 --lout", "weir ls nowhere:/  # a folder"], "the commands")
        for lines, block in blocks(text):
            try:
                said = Reader(stage, internet, "", block).types(lines[0])
            except Failed as failure:
                check.figure = str(failure)
            else:
                raise Failed(f"'{lines[0]}' counts as done; it says {said!r}")


def follow(results, stage, internet, name, text):
    count, left = 0, []
    for number, (lines, block) in enumerate(blocks(text), 1):
        reader = Reader(stage, internet, text, block)
        before = []
        for line in lines:
            if why := reason(line):
                left.append(f"{line.partition('#')[0].strip()}: {why}")
            elif line.startswith("export "):
                before.append(line)
            else:
                count += 1
                with results.check(f"{name}: {line.partition('  #')[0].strip()}") as check:
                    check.figure = reader.types("\n".join([*before, line]))
    with results.check(f"{name} has commands, and each is run or has a reason to be left out") as check:
        expect(count > 0, "no command runs")
        print(*(f"readme: left out: {each}" for each in left), sep="\n")
        check.figure = f"{count} run, {len(left)} left out"


class Internet:
    """Serves every host that the documents name, on this machine."""

    def __init__(self, stage, hosts):
        self.certificate = certificates.make(stage, hosts)
        self.files = media.folder()
        self.vault = stage.new_folder("vault")
        self.key = self.vault / "film.key"
        subprocess.run(["age-keygen", "-o", self.key], check=True, capture_output=True)
        shutil.copy(self.files / "film.mp4", self.vault / "film.mp4")
        words = [place.weir_program(), "seal", self.vault / "film.mp4", "--key-file", self.key]
        subprocess.run(words, check=True, capture_output=True, env=stage.environment, stdin=subprocess.DEVNULL)
        secure = Recorder(stage, default=self.answer, certificate=self.certificate)
        plain = Recorder(stage, default=self.answer)
        self.proxies = {
            "HTTPS_PROXY": ForwardProxy(stage, ("127.0.0.1", secure.port)).url,
            "HTTP_PROXY": ForwardProxy(stage, ("127.0.0.1", plain.port)).url,
        }

    def answer(self, handler):
        path = handler.path.partition("?")[0]
        ending = path.rpartition(".")[2]
        if path.endswith("/"):
            links = "".join(f'<a href="{name}">{name}</a>\n' for name in ("one.mp3", "two.mp3"))
            handler.answer(200, f"<html><head><title>Index of {path}</title></head><body><h1>Index of {path}</h1><hr><pre>"
                           f'<a href="../">../</a>\n{links}</pre><hr></body></html>'.encode(), Content_Type="text/html")
        elif ending in ("m3u8", "ts"):
            film = hls.folder() / "ts"
            recorder.file(film / (path.rpartition("/")[2] if ending == "ts" else "film.m3u8"))(handler)
        elif path.endswith(".age"):
            recorder.file(self.vault / "film.mp4.age")(handler)
        elif (found := next((self.files / name for name in media.MEDIA if name.endswith(f".{ending}")), None)):
            recorder.file(found, content_type=media.MEDIA[found.name])(handler)
        elif "." not in path:
            self.station(handler)
        else:
            recorder.page(404)(handler)

    def station(self, handler):
        handler.send_response(200)
        for name, value in (("Content-Type", "audio/mpeg"), ("icy-name", "A station"), ("Connection", "close")):
            handler.send_header(name, value)
        handler.end_headers()
        sound = (self.files / "song.mp3").read_bytes()
        # First sends more bytes than a listener buffers, and then sends bytes in real time.
        sent = 64 << 10
        handler.wfile.write(sound[:sent])
        while True:
            time.sleep(0.25)
            handler.wfile.write(sound[sent:sent + 4000])
            sent = (sent + 4000) % (len(sound) - 4000)


class Reader:
    """A reader who types the commands of one block."""

    def __init__(self, stage, internet, text, block):
        self.stage = stage
        self.home = stage.new_folder("home")
        self.folder = stage.new_folder("folder")
        self.bin = stage.new_folder("bin")
        self.files = internet.files
        self.configuration(text)
        self.programs()
        # A silent sound card.
        card = self.home / "asound.conf"
        card.write_text("pcm.!default { type null }\nctl.!default { type null }\n")
        self.environment = dict(
            place.clean_environment(self.home, **internet.proxies), ALSA_CONFIG_PATH=str(card), WEIR_LISTEN="127.0.0.1:0",
            WEIR_CA_FILE=str(internet.certificate.authority), CURL_CA_BUNDLE=str(internet.certificate.authority),
            TOKEN="OAuth of-mine", CLOUD_PASSWORD="secret",
        )
        self.environment["PATH"] = f"{self.bin}:{self.environment['PATH']}"
        # Without these variables, Weir looks for its files at the paths that the README gives.
        self.environment.pop("XDG_CONFIG_HOME")
        self.environment.pop("XDG_CACHE_HOME")
        self.inputs(block, internet)

    def configuration(self, text):
        """Writes a configuration in which each source of the text is a folder on this machine."""
        music = self.stage.new_folder("music")
        for name in ("Music/song.mp3", "Music/Album/01.mp3", "Music/Album/02.mp3"):
            (music / name).parent.mkdir(parents=True, exist_ok=True)
            (music / name).symlink_to(self.files / "song.mp3")
        names = {*re.findall(r"^\[sources\.(\w+)\]", text, re.MULTILINE), *re.findall(r" ([a-z]+):/", text)} - {"http", "https"}
        file = self.home / ".config/weir/config.toml"
        file.parent.mkdir(parents=True)
        file.write_text("".join(f'[sources.{name}]\nservice = "files"\npath = "{music}"\n\n' for name in sorted(names)))
        file.chmod(0o600)

    def programs(self):
        (self.bin / "weir").symlink_to(place.weir_program())
        players = {
            "mpv": "--no-config --ao=null --vo=null --length=1 --msg-level=all=error",
            "ffplay": None,
        }
        for name, options in players.items():
            path = self.bin / name
            if options is None:
                path.write_text('#!/bin/sh\nexec ffmpeg -nostdin -v error -xerror -i pipe:0 -f null -\n')
            else:
                path.write_text(f'#!/bin/sh\nexec {shutil.which(name)} {options} "$@"\n')
            path.chmod(0o755)

    def inputs(self, block, internet):
        """Prepares what the block needs: its input files, its station, a server, and cached files."""
        makes = set(re.findall(r"(?:-o |wav:)([\w.]+)", block))
        for word in set(re.findall(r"(?<![\w./:-])([\w-]+\.\w+)\b(?!/)", block)) - makes:
            ending = word.rpartition(".")[2]
            if word == "film.key":
                shutil.copy(internet.key, self.folder / word)
            elif ending == "key":
                (self.folder / word).write_bytes(bytes(range(32)))
                (self.folder / word).chmod(0o600)
            elif word == "headers.txt":
                (self.folder / word).write_text("Authorization: OAuth of-mine\n")
            elif found := next((self.files / name for name in media.MEDIA if name.endswith(f".{ending}")), None):
                shutil.copy(found, self.folder / word)
        if re.search(r"\bjazz\b", block) and "radio add jazz" not in block:
            self.types("weir radio add jazz http://radio.example:8000/jazz")
        if re.search(r"\bweir stats\b", block):
            serving = self.start(f"weir serve {self.files}")
            waiting.until(serving.has_begun, LIMIT, "the start of weir serve")
        for url in set(re.findall(r"cache (?:pin|export|remove) (https?://\S+)", block)):
            if f"get {url}" not in block:
                self.types(f"weir get {url} -o held --force")

    def types(self, script):
        """Runs shell lines until they end or have said that they serve or play; returns their output."""
        words = [script]
        # If the script names a file below /srv, a mount that only the script sees provides that file.
        if (top := re.search(r"(?<![\w:/.~])(/srv)/(\S+)", script)) and os.geteuid() == 0 and os.path.isdir(top[1]):
            tree = self.stage.new_folder("srv")
            path = tree / top[2]
            path.parent.mkdir(parents=True, exist_ok=True)
            kind = next(name for name in media.MEDIA if name.endswith(path.suffix))
            shutil.copy(self.files / kind, path)
            words = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', str(tree), top[1],
                     *SHELL, script]
        program = self.start(*words)
        if ENDLESS.search(script):
            waiting.until(program.has_begun, LIMIT, f"the output of '{script.splitlines()[-1]}'")
            if program.is_alive():
                status = program.stop(signal.SIGINT, 30)
                expect(status in (0, 130, -signal.SIGINT), f"interrupted it ended with {status}: {program.said()}")
                return program.said()
        equal(program.wait(LIMIT), 0, f"the status, with {program.said(400)!r},")
        return program.said()


    def start(self, *words):
        words = words if len(words) > 1 else [*SHELL, *words]
        return self.stage.put(InFolder(words, self.stage, self.environment, self.folder))


class InFolder(Program):
    """A shell in its own folder and process group, as a terminal starts it."""

    def __init__(self, words, stage, environment, folder):
        self.folder = folder
        name = stage.name("shell")
        super().__init__(["env", "-C", folder, *words], stage.folder, name, environment)

    def has_begun(self):
        """Whether the shell has ended, or says that it serves or plays."""
        return not self.is_alive() or re.search(r"^http://127|playing|live", self.output + self.error, re.MULTILINE)

    def send(self, number):
        """Sends a signal to all processes of the shell, as a terminal does at Ctrl-C."""
        if self.is_alive():
            for pid in children(self.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)

    def said(self, length=80):
        text = (self.output + self.error).strip()
        return (text[-length:] if length > 80 else text[:length]).replace("\n", " · ")


def children(pid):
    """A process and all its descendants."""
    found = [pid]
    for each in found:
        with contextlib.suppress(OSError), open(f"/proc/{each}/task/{each}/children") as file:
            found += map(int, file.read().split())
    return found
