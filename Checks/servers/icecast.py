# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A real Icecast and its sources: ffmpeg, or Ogg files that follow each other as one chained stream.

Its answers (2.4.4):
- A listener gets `HTTP/1.0 200 OK` (or 1.1, as in the request) without a length, and first a burst of the last 64 KiB.
  The burst may begin inside a frame. An Ogg stream begins with its header pages, then come whole pages.
- `Icy-MetaData: 1` brings `icy-metaint: 16000` on mounts of MP3 and AAC; Ogg has its titles in its own headers.
- /admin/metadata sets a title, in the charset that the request names. Icecast sends the title in the mount's charset,
  by default ISO 8859-1, and omits characters that this charset lacks.
- Icecast refuses to run as root; when started as root it changes to the user nobody.
"""

import base64
import grp
import os
import pwd
import shutil
import socket
import struct
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

from check_results import Skipped
from servers import launch
from stage import waiting, web
from stage.program import Program

PASSWORD = "sources sesame 4711"
SHARED = Path("/usr/share/icecast2")

CONFIGURATION = """<icecast>
  <hostname>127.0.0.1</hostname>
  <limits>
    <clients>200</clients><sources>40</sources><queue-size>1048576</queue-size>
    <burst-on-connect>1</burst-on-connect><burst-size>{burst}</burst-size>
  </limits>
  <authentication>
    <source-password>{password}</source-password><relay-password>{password}</relay-password>
    <admin-user>admin</admin-user><admin-password>{password}</admin-password>
  </authentication>
  <listen-socket><port>{port}</port><bind-address>127.0.0.1</bind-address></listen-socket>
  {mounts}
  <fileserve>0</fileserve>
  <paths>
    <basedir>{folder}</basedir><logdir>{folder}</logdir>
    <webroot>{shared}/web</webroot><adminroot>{shared}/admin</adminroot>
  </paths>
  <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>3</loglevel></logging>
  <security><chroot>0</chroot>{owner}</security>
</icecast>
"""


def program(stage, name):
    path = shutil.which(name, path=stage.environment["PATH"])
    if path is None:
        raise Skipped(f"there is no {name}; Scripts/set-up radio installs it")
    return path


class Icecast:
    """A running Icecast; `utf8` names the mounts whose titles go out in UTF-8, `more` is further configuration."""

    def __init__(self, stage, utf8=(), burst=65535, more=""):
        self.stage = stage
        words = program(stage, "icecast2")
        # When started as root, Icecast becomes the user nobody, which may not enter the folder of the stage.
        self.folder = Path(tempfile.mkdtemp(prefix="weir-icecast-"))
        stage.callback(shutil.rmtree, self.folder, ignore_errors=True)
        owner = ""
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            group = grp.getgrgid(nobody.pw_gid).gr_name
            owner = f"<changeowner><user>nobody</user><group>{group}</group></changeowner>"
        mounts = "".join(
            f"<mount><mount-name>{mount}</mount-name><charset>UTF8</charset></mount>" for mount in utf8
        )
        values = dict(
            folder=self.folder, shared=SHARED, password=PASSWORD, burst=burst, owner=owner, mounts=mounts + more
        )

        def command(port):
            file = self.folder / "icecast.xml"
            file.write_text(CONFIGURATION.format(port=port, **values))
            file.chmod(0o644)
            return [words, "-c", file]

        self.command = command
        self.program, self.port = launch.at_free_port(stage, "icecast", command, explain=lambda: self.errors)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def errors(self):
        path = self.folder / "error.log"
        return path.read_text(errors="replace")[-500:] if path.exists() else ""

    def ask(self, path):
        """Makes an administrator's request."""
        coded = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
        try:
            with web.Line(self.base) as line:
                return line.ask(path, {"Authorization": f"Basic {coded}"})
        except TimeoutError as error:
            raise RuntimeError(f"icecast does not answer {path}; it says: {self.errors}") from error

    def set_title(self, mount, title, charset="UTF-8"):
        """Sets the title of a mount; the request names the charset of its bytes."""
        song = quote(title.encode(charset))
        answer = self.ask(f"/admin/metadata?mount={quote(mount)}&mode=updinfo&charset={charset}&song={song}")
        if answer.status != 200:
            raise RuntimeError(f"icecast answered {answer.status} to a title: {answer.text[:200]}")

    def has(self, mount):
        """Whether a mount has a source."""
        answer = self.ask("/admin/listmounts")
        return answer.status == 200 and f'mount="{mount}"' in answer.text

    def wait_for(self, mount):
        waiting.until(lambda: self.has(mount), 15, f"a source at {mount}", pause=0.05)

    def listeners(self, mount):
        """How many connections listen to a mount at the moment."""
        answer = self.ask(f"/admin/listclients?mount={quote(mount)}")
        return answer.text.count("<listener>") if answer.status == 200 else 0

    def restart(self):
        """Stops the server, and starts it again at the same port."""
        self.program.stop()
        words = self.command(self.port)
        name = self.stage.name("icecast")
        self.program = self.stage.put(Program(words, self.stage.folder, name, self.stage.environment))
        waiting.until(self.answers, 20, "icecast's return", pause=0.05)

    def answers(self):
        try:
            return self.ask("/admin/listmounts").status == 200
        except OSError:
            return False

    def stop(self):
        self.program.stop()


class FFmpegSource:
    """ffmpeg that encodes a file over and over, in real time, and sends it to a mount."""

    def __init__(self, icecast, mount, path, words, muxer, content_type):
        stage = icecast.stage
        url = f"icecast://source:{quote(PASSWORD)}@127.0.0.1:{icecast.port}{mount}"
        command = [program(stage, "ffmpeg"), "-nostdin", "-v", "error", "-re", "-stream_loop", -1, "-i", path]
        command += ["-map_metadata", -1, *words, "-content_type", content_type, "-ice_name", "Checks FM"]
        command += ["-f", muxer, url]
        self.program = stage.put(Program(command, stage.folder, stage.name("source"), stage.environment))
        self.icecast, self.mount = icecast, mount
        self.stop = self.program.stop


def with_ogg(stage, mount, paths):
    """An Icecast with a chained stream.

    Icecast 2.4 sometimes crashes if a request for its mounts arrives while an Ogg source connects. Then this function
    starts another one.
    """
    for attempt in range(3):
        icecast = Icecast(stage)
        OggSource(icecast, mount, paths)
        try:
            icecast.wait_for(mount)
            return icecast
        except OSError:
            if icecast.program.is_alive() or attempt == 2:
                raise


class OggSource:
    """Ogg files, one after the other, to one mount: a chained stream, paced by its granule positions."""

    def __init__(self, icecast, mount, paths, content_type="application/ogg", ahead=2.0):
        self.links = [path.read_bytes() for path in paths]
        self.ahead = ahead
        self.failure = None
        self.is_over = threading.Event()
        self.line = socket.create_connection(("127.0.0.1", icecast.port), timeout=60)
        coded = base64.b64encode(f"source:{PASSWORD}".encode()).decode()
        head = f"PUT {mount} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic {coded}\r\n"
        head += f"Content-Type: {content_type}\r\nIce-Name: Checks FM\r\nExpect: 100-continue\r\n\r\n"
        self.line.sendall(head.encode())
        answer = self.line.recv(1000)
        if b" 100 " not in answer and b" 200 " not in answer:
            raise RuntimeError(f"icecast refused a source: {answer[:200]!r}")
        self.thread = threading.Thread(target=self.send, daemon=True)
        self.thread.start()
        icecast.stage.callback(self.stop)

    def send(self):
        try:
            start, played = time.monotonic(), 0.0
            for data in self.links:
                rate = None
                for page, granule in pages(data):
                    rate = rate or sample_rate(page)
                    # An encoder waits like this for sound; no condition is polled here.
                    due = start + played + max(0, granule) / rate - self.ahead
                    if self.is_over.wait(max(0.0, due - time.monotonic())):
                        return
                    self.line.sendall(page)
                    last = granule if granule >= 0 else 0
                played += last / rate
        except OSError as failure:
            self.failure = failure

    def stop(self):
        self.is_over.set()
        self.thread.join(10)
        self.line.close()


def pages(data):
    """The pages of an Ogg stream, each with its granule position (RFC 3533 6)."""
    at = 0
    while at < len(data):
        if data[at : at + 4] != b"OggS":
            raise ValueError(f"there is no page at byte {at}")
        (granule,) = struct.unpack_from("<q", data, at + 6)
        count = data[at + 26]
        end = at + 27 + count + sum(data[at + 27 : at + 27 + count])
        yield data[at:end], granule
        at = end


def sample_rate(page):
    """The number of granules per second of a stream, from its first page."""
    packet = page[27 + page[26] :]
    if packet.startswith(b"OpusHead"):
        return 48000
    if packet.startswith(b"\x01vorbis"):
        return struct.unpack_from("<I", packet, 12)[0]
    if packet.startswith(b"\x7fFLAC"):
        # Before the 20 bits of the rate, the packet has 9 bytes of the Ogg mapping, "fLaC", a block header of 4 bytes,
        # and 10 bytes of STREAMINFO (RFC 9639 8.2).
        return int.from_bytes(packet[27:30], "big") >> 4
    raise ValueError(f"this is not a first page: {packet[:8]!r}")
