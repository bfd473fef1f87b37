# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Audio files: made by real encoders in every kind that they offer, and taken from Debian's packages."""

import shlex
import subprocess
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import once, place

# A file, its maker, and how many samples its source had (None: unknown or resampled).
Sound = namedtuple("Sound", "path maker samples")

FOLDER = place.BUILD / "sounds"
# Increase this number when the made files change.
VERSION = 1

MPEG1 = (32000, 44100, 48000)
MPEG2 = (16000, 22050, 24000)
MPEG25 = (8000, 11025, 12000)
BITS1 = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
BITS2 = (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
BITS25 = (8, 16, 24, 32, 40, 48, 56, 64)
AAC_RATES = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000)

# Debian's packages with plain audio, and the extensions of their files: the small packages, and the large ones.
SMALL_PACKAGES = ("sound-theme-freedesktop", "hydrogen-data", "pocketsphinx-testdata", "asc-music", "raincat-data")
LARGE_PACKAGES = (
    "sonic-pi-samples", "drascula-music", "singularity-music", "warzone2100-music", "endless-sky-data",
)
ENDINGS = (".mp3", ".ogg", ".oga", ".opus", ".flac", ".wav", ".m4a", ".aac")


def source_length(rate):
    """How many samples a source of a rate has: a number that no frame length divides."""
    return int(rate * 1.7) + 13


def source(rate, channels, bits=16):
    """A WAV with a tone that swells over noise."""
    layout = {1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}.get(channels, f"{channels}c")
    expression = "|".join(
        f"0.3*sin(2*PI*{220 * (index + 1)}*t)*(0.6+0.4*sin(2*PI*1.3*t))+0.05*(random({index})-0.5)"
        for index in range(channels)
    )
    filters = f"aevalsrc='{expression}':s={rate}:c={layout}:d=3,atrim=end_sample={source_length(rate)}"
    codec = {8: "pcm_u8", 16: "pcm_s16le", 24: "pcm_s24le", 32: "pcm_s32le"}[bits]
    words = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", filters, "-c:a", codec]
    return once.made(FOLDER / "sources" / f"{rate}-{channels}-{bits}.wav", lambda new: run([*words, new]))


def run(words):
    done = subprocess.run([str(word) for word in words], capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(str(word) for word in words)} failed: {done.stderr.decode()[-400:]}")


def lame(is_long):
    for rates, bitrates in ((MPEG1, BITS1), (MPEG2, BITS2), (MPEG25, BITS25)):
        for rate in rates:
            for mode in "mjs" if is_long else "mj":
                for kilobits in bitrates if is_long else (bitrates[0], bitrates[len(bitrates) // 2], bitrates[-1]):
                    yield rate, mode, f"cbr{kilobits}", ["-b", kilobits, "--cbr"]
            for level in range(10) if is_long or rate == 44100 else (4,):
                yield rate, "j", f"vbr{level}", ["-V", level]
            yield rate, "j", "abr48", ["--abr", 48]
    yield 44100, "j", "untagged", ["-t", "-b", 128]
    yield 44100, "j", "untagged-vbr", ["-t", "-V", 2]
    yield 44100, "j", "checksum", ["-p", "-b", 128]
    yield 44100, "j", "id3", ["-b", 128, "--tt", "Title", "--ta", "Artist", "--add-id3v2", "--pad-id3v2-size", 400]


def made_by_lame(folder, is_long):
    for rate, mode, name, words in lame(is_long):
        path = folder / f"lame-{rate}-{mode}-{name}.mp3"
        channels = 1 if mode == "m" else 2
        source_path = source(rate, channels)
        yield Sound(path, "lame", None if "untagged" in name else source_length(rate)), [
            "lame", "--quiet", "--resample", rate / 1000, "-m", mode, *words, source_path, path,
        ]
    path = folder / "lame-44100-free.mp3"
    yield Sound(path, "lame", None), ["lame", "--quiet", "--freeformat", "-b", 384, source(44100, 2), path]


def made_by_ffmpeg(folder, is_long):
    def sound(name, rate, channels, words, exact=True, bits=16):
        path = folder / name
        command = ["ffmpeg", "-v", "error", "-y", "-i", source(rate, channels, bits), "-map_metadata", -1, *words, path]
        return Sound(path, "ffmpeg", source_length(rate) if exact else None), command

    for rate in MPEG1 + MPEG2 + MPEG25:
        yield sound(f"lavc-{rate}.mp3", rate, 2, ["-c:a", "libmp3lame", "-q:a", 4])
    for rate in MPEG1 + MPEG2:
        for channels in (1, 2):
            words = ["-c:a", "mp2", "-b:a", "64k" if rate in MPEG2 else "128k"]
            yield sound(f"layer2-{rate}-{channels}.mp2", rate, channels, words, exact=False)
    for rate in AAC_RATES:
        for channels in (1, 2, 6) if is_long or rate == 44100 else (1, 2):
            kilobits = 24 * channels if rate < 24000 else 64 * channels
            yield sound(f"adts-{rate}-{channels}.aac", rate, channels, ["-c:a", "aac", "-b:a", f"{kilobits}k"], exact=False)
            yield sound(f"aac-{rate}-{channels}.m4a", rate, channels, ["-c:a", "aac", "-b:a", f"{kilobits}k"])
    fast, fragmented = ["-movflags", "+faststart"], ["-movflags", "frag_keyframe+empty_moov"]
    mp4 = {
        "fast": fast,
        "fragmented": [*fragmented, "-frag_duration", 300000],
        "dash": ["-movflags", "dash+frag_keyframe+delay_moov", "-frag_duration", 300000],
        "based": ["-movflags", "frag_keyframe+empty_moov+default_base_moof", "-frag_duration", 500000],
    }
    for name, words in mp4.items():
        yield sound(f"aac-{name}.m4a", 44100, 2, ["-c:a", "aac", *words], exact=name == "fast")
    yield sound("aac.mov", 44100, 2, ["-c:a", "aac"], exact=False)
    for rate in (44100, 48000, 96000):
        yield sound(f"alac-{rate}.m4a", rate, 2, ["-c:a", "alac"])
    yield sound("alac-24.m4a", 48000, 2, ["-c:a", "alac", "-sample_fmt", "s32p"], bits=24)
    yield sound("opus.mp4", 48000, 2, ["-c:a", "libopus"])
    yield sound("flac.mp4", 44100, 2, ["-c:a", "flac", "-strict", -2])
    kinds = ["pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw", "pcm_mulaw"]
    for kind in kinds:
        for channels in (1, 2, 6):
            yield sound(f"{kind}-{channels}.wav", 44100, channels, ["-c:a", kind])
    yield sound("rf64.wav", 44100, 2, ["-c:a", "pcm_s16le", "-rf64", "always"])
    yield sound("lavc.ogg", 44100, 2, ["-c:a", "libvorbis", "-q:a", 4])
    yield sound("lavc.oga", 44100, 2, ["-c:a", "flac"])
    yield sound("lavc.opus", 48000, 2, ["-c:a", "libopus"])
    yield sound("lavc.flac", 44100, 2, ["-c:a", "flac"])


def made_by_oggenc(folder, is_long):
    for rate in (8000, 11025, 16000, 22050, 32000, 44100, 48000, 96000):
        for channels in (1, 2, 6) if is_long or rate == 44100 else (1, 2):
            for quality in range(-1, 11) if is_long or (rate, channels) == (44100, 2) else (3,):
                path = folder / f"oggenc-{rate}-{channels}-q{quality}.ogg"
                yield Sound(path, "oggenc", source_length(rate)), [
                    "oggenc", "-Q", "-q", quality, "-o", path, source(rate, channels),
                ]
    path = folder / "oggenc-managed.ogg"
    yield Sound(path, "oggenc", source_length(44100)), [
        "oggenc", "-Q", "--managed", "-b", 96, "-o", path, source(44100, 2),
    ]


def made_by_opusenc(folder, is_long):
    for rate in (8000, 16000, 24000, 44100, 48000):
        for channels in (1, 2, 6):
            for size in ("2.5", "5", "10", "20", "40", "60") if is_long or rate == 48000 else ("20",):
                for kilobits in (12, 32, 64, 128, 256) if is_long else (64,):
                    path = folder / f"opusenc-{rate}-{channels}-{size}-{kilobits}.opus"
                    samples = source_length(rate) if rate == 48000 else None
                    yield Sound(path, "opusenc", samples), [
                        "opusenc", "--quiet", "--framesize", size, "--bitrate", kilobits * channels,
                        source(rate, channels), path,
                    ]
    for mode in ("--cvbr", "--hard-cbr", "--music", "--speech"):
        path = folder / f"opusenc{mode}.opus"
        yield Sound(path, "opusenc", source_length(48000)), ["opusenc", "--quiet", mode, source(48000, 2), path]


def made_by_flac(folder, is_long):
    for rate in (8000, 12345, 22050, 44100, 48000, 96000, 192000):
        for channels in (1, 2, 6, 8):
            for bits in (8, 16, 24) if is_long or rate == 44100 else (16,):
                for level in range(9) if is_long or (rate, channels, bits) == (44100, 2, 16) else (5,):
                    path = folder / f"flac-{rate}-{channels}-{bits}-{level}.flac"
                    yield Sound(path, "flac", source_length(rate)), [
                        "flac", "--silent", "--force", f"-{level}", "--lax", "-o", path, source(rate, channels, bits),
                    ]
    for name, words in {
        "large": ["-b", 16384, "--lax"], "small": ["-b", 256, "--lax"], "bare": ["--no-padding", "--no-seektable"],
        "points": ["-S", "100x"],
    }.items():
        path = folder / f"flac-{name}.flac"
        yield Sound(path, "flac", source_length(44100)), [
            "flac", "--silent", "--force", *words, "-o", path, source(44100, 2),
        ]
    path = folder / "flac-in-ogg.oga"
    yield Sound(path, "flac", source_length(44100)), [
        "flac", "--silent", "--force", "--ogg", "-o", path, source(44100, 2),
    ]


MAKERS = (made_by_lame, made_by_ffmpeg, made_by_oggenc, made_by_opusenc, made_by_flac)


def made(is_long):
    """The files that encoders make; makes them if they are missing."""
    folder = FOLDER / f"{'long' if is_long else 'short'}-{VERSION}"
    with once.alone_in(folder), ThreadPoolExecutor(2) as pool:
        wanted = [item for maker in MAKERS for item in maker(folder, is_long)]
        list(pool.map(make, wanted))
    return [sound for sound, _ in wanted]


def make(item):
    sound, command = item
    if sound.path.exists():
        return
    # Makes the file under another name, so that a file with the final name is always whole.
    new = sound.path.with_name(f"new-{sound.path.name}")
    run([new if word == sound.path else word for word in command])
    new.rename(sound.path)


def packages(names):
    """The audio files of Debian's packages, which are downloaded if necessary, but not installed."""
    found = []
    for name in names:
        folder = once.made(FOLDER / "packages" / name, lambda new, name=name: unpack(name, new))
        paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
        found += [Sound(path, name, None) for path in paths if path.suffix.lower() in ENDINGS]
    return found


def unpack(name, folder):
    """Downloads a package and unpacks it into a folder."""
    downloads = FOLDER / "downloads" / name
    downloads.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["apt-get", "download", name], cwd=downloads, capture_output=True)
    if done.returncode != 0:
        # The list of packages is old or missing.
        subprocess.run(["apt-get", "update"], capture_output=True)
        done = subprocess.run(["apt-get", "download", name], cwd=downloads, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"apt-get download {name} failed: {done.stderr.decode()[-300:]}")
    (package,) = downloads.glob("*.deb")
    folder.mkdir(exist_ok=True)
    run(["dpkg", "-x", package, folder])
    package.unlink()
