# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Real sound servers without a loudspeaker: PulseAudio and PipeWire with a null sink, and a recorder of its monitor.

Each has its own runtime directory, home and configuration, and neither reads nor writes the user's files. A program
that runs with `environment` gets the server's ALSA plug-in as the device `default`.

Their behaviour (PulseAudio 16.1, PipeWire 0.3.65):
- A null sink takes sound in pieces as long as the smallest requested latency. Without a request, pieces are a second
  or two long, so the recorder asks for 20 ms.
- The monitor of PulseAudio's null sink misses up to 20 ms at the start of a stream, because it has already passed on
  silence for that time. `paplay` loses as much of a file. A loudspeaker plays this part.
- The package of PipeWire's plug-in cannot be installed beside PulseAudio; `Scripts/set-up sounds` unpacks it.
"""

import shutil
import signal
import tempfile
import time
from array import array
from pathlib import Path

import samples
from check_results import Skipped
from stage import place, waiting
from stage.program import Program

RATE = 44100
UNPACKED = place.BUILD / "pipewire-alsa"


def tool(stage, name):
    path = shutil.which(name, path=stage.environment["PATH"])
    if path is None:
        raise Skipped(f"there is no {name}; Scripts/set-up sounds installs it")
    return path


def plug_in(kind, *folders):
    """The plug-in of a server for ALSA."""
    for folder in folders:
        for path in Path(folder).glob(f"*/alsa-lib/libasound_module_pcm_{kind}.so"):
            return path
    raise Skipped(f"ALSA's plug-in of {kind} is missing; Scripts/set-up sounds installs it")


class Recorder:
    """Records the sound of the null sink, as interleaved samples of 16 bits."""

    def __init__(self, stage, words, file, environment):
        self.file = file
        self.program = stage.put(Program([*words, file], stage.folder, stage.name("recorder"), environment))

    def size(self):
        return self.file.stat().st_size if self.file.exists() else 0

    def until_running(self):
        waiting.until(lambda: self.size() > 4096, 10, f"the recording ({self.program.error.strip()[-300:]!r})")

    def stop(self):
        """Waits for the samples in transit, stops the recording, and returns all samples."""
        time.sleep(0.4)
        self.program.stop(signal.SIGINT, 5)
        data = samples.read_wave(self.file).data if self.file.suffix == ".wav" else self.file.read_bytes()
        return array("h", data[: len(data) // 4 * 4])


class SoundServer:
    """A sound server; `environment` is for programs that play through it."""

    def __init__(self, stage, plug):
        self.stage = stage
        # The path of a socket must be short.
        self.runtime = Path(tempfile.mkdtemp(prefix="weir-sound-"))
        stage.callback(shutil.rmtree, self.runtime, ignore_errors=True)
        kind = self.name.lower()
        configuration = self.runtime / "asound.conf"
        device = "pulse" if kind == "pulseaudio" else "pipewire"
        configuration.write_text(f'pcm_type.{device} {{ lib "{plug}" }}\npcm.!default {{ type {device} }}\n')
        self.environment = dict(
            stage.environment, XDG_RUNTIME_DIR=str(self.runtime), ALSA_CONFIG_PATH=str(configuration)
        )
        self.programs = []

    def run(self, *words):
        program = self.stage.put(Program(words, self.stage.folder, self.stage.name(self.name), self.environment))
        self.programs.append(program)
        return program

    def stop(self):
        for program in reversed(self.programs):
            program.stop(signal.SIGTERM, 5)
        self.programs = []


class PulseAudio(SoundServer):
    name = "PulseAudio"
    # How many frames the monitor may miss at the start of a stream.
    head = RATE * 30 // 1000
    # A change of volume is audible within this many seconds after the screen shows it: the plug-in returns no samples
    # from its buffer.
    volume = 0.9

    def __init__(self, stage):
        self.daemon = tool(stage, "pulseaudio")
        self.recorder = tool(stage, "parec")
        super().__init__(stage, plug_in("pulse", "/usr/lib"))
        self.socket = self.runtime / "native"
        self.environment["PULSE_SERVER"] = f"unix:{self.socket}"
        self.script = self.runtime / "script.pa"
        self.script.write_text(
            f"load-module module-native-protocol-unix auth-anonymous=1 socket={self.socket}\n"
            f"load-module module-null-sink sink_name=void rate={RATE} format=s16le channels=2\n"
            "set-default-sink void\n"
        )
        self.start()

    def start(self):
        words = ["-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes"]
        daemon = self.run(self.daemon, *words, "-F", self.script)
        try:
            waiting.until(lambda: self.socket.exists() or daemon.poll() is not None, 10, "PulseAudio's socket")
        except waiting.TookTooLong as failure:
            raise Skipped(f"{failure}: {daemon.error.strip()[-300:]!r}") from failure
        if daemon.poll() is not None:
            raise Skipped(f"PulseAudio does not run here: {daemon.error.strip()[-300:]!r}")

    def record(self):
        words = [self.recorder, "-d", "void.monitor", "--format=s16le", f"--rate={RATE}", "--channels=2"]
        file = self.stage.folder / f"{self.stage.name('recorded')}.raw"
        return Recorder(self.stage, [*words, "--latency-msec=20", "--raw"], file, self.environment)


# A quantum of 4,096 frames, 93 ms: without real-time priority, the recorder sometimes misses shorter quanta. A frame
# that the recorder misses looks as if the player had not played it.
PIPEWIRE = """context.properties = {{
    core.daemon = true
    core.name = pipewire-0
    default.clock.rate = {rate}
    default.clock.min-quantum = 4096
    default.clock.max-quantum = 4096
    default.clock.quantum = 4096
    support.dbus = false
}}
context.spa-libs = {{
    audio.convert.* = audioconvert/libspa-audioconvert
    support.* = support/libspa-support
}}
context.modules = [
    {{ name = libpipewire-module-protocol-native }}
    {{ name = libpipewire-module-metadata }}
    {{ name = libpipewire-module-spa-node-factory }}
    {{ name = libpipewire-module-client-node }}
    {{ name = libpipewire-module-access }}
    {{ name = libpipewire-module-adapter }}
    {{ name = libpipewire-module-link-factory }}
    {{ name = libpipewire-module-session-manager }}
]
context.objects = [
    {{ factory = adapter
      args = {{
        factory.name = support.null-audio-sink
        node.name = void
        media.class = Audio/Sink
        object.linger = true
        audio.position = [ FL FR ]
        priority.session = 1000
      }}
    }}
]
"""

# The session manager links streams to sinks, and must not search for devices or a bus.
WIREPLUMBER = """load_module("metadata")
default_access.enable()
load_module("default-nodes", { ["use-persistent-storage"] = false })
"""


class PipeWire(SoundServer):
    name = "PipeWire"
    head = 0
    volume = 0.25

    def __init__(self, stage):
        self.daemon = tool(stage, "pipewire")
        self.manager = tool(stage, "wireplumber")
        self.recorder = tool(stage, "pw-record")
        super().__init__(stage, plug_in("pipewire", "/usr/lib", UNPACKED / "usr" / "lib"))
        self.configure(Path("/usr/share"))
        self.start()

    def configure(self, shared):
        own, manager = self.runtime / "pipewire", self.runtime / "wireplumber"
        own.mkdir()
        (own / "pipewire.conf").write_text(PIPEWIRE.format(rate=RATE))
        for name in ("client.conf", "client-rt.conf"):
            shutil.copy(shared / "pipewire" / name, own)
        shutil.copytree(shared / "wireplumber", manager)
        for pattern in ("main.lua.d/30-*", "main.lua.d/50-alsa*", "main.lua.d/50-*camera*", "main.lua.d/50-v4l2*"):
            for path in manager.glob(pattern):
                path.unlink()
        (manager / "main.lua.d" / "90-enable-all.lua").write_text(WIREPLUMBER)
        access = manager / "main.lua.d" / "50-default-access-config.lua"
        access.write_text(access.read_text().replace('portal"] = true', 'portal"] = false'))
        configuration = manager / "wireplumber.conf"
        lines = [line for line in configuration.read_text().splitlines() if "bluetooth.lua" not in line]
        configuration.write_text("\n".join(lines).replace("context.properties = {", "context.properties = {\n support.dbus = false", 1))
        self.environment.update(
            PIPEWIRE_RUNTIME_DIR=str(self.runtime),
            PIPEWIRE_CONFIG_DIR=str(own),
            WIREPLUMBER_CONFIG_DIR=str(manager),
            WIREPLUMBER_DATA_DIR=str(shared / "wireplumber"),
        )

    def start(self):
        daemon = self.run(self.daemon)
        socket = self.runtime / "pipewire-0"
        waiting.until(lambda: socket.exists() or daemon.poll() is not None, 10, "PipeWire's socket")
        if daemon.poll() is not None:
            raise Skipped(f"PipeWire does not run here: {daemon.error.strip()[-300:]!r}")
        manager = self.run(self.manager)
        # WirePlumber does not report when it is ready.
        time.sleep(1)
        if manager.poll() is not None:
            raise Skipped(f"WirePlumber does not run here: {manager.error.strip()[-300:]!r}")

    def record(self):
        words = [self.recorder, "--target", "void", "-P", "{ stream.capture.sink = true }", "--latency", "20ms"]
        words += ["--format", "s16", "--rate", RATE, "--channels", 2]
        file = self.stage.folder / f"{self.stage.name('recorded')}.wav"
        return Recorder(self.stage, words, file, self.environment)
