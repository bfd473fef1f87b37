# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""HLS films of every shape that the checks play: made by ffmpeg and openssl, and kept below .build."""

import hashlib
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import once, place

FOLDER = place.BUILD / "hls"
# Increase this number when the films change.
VERSION = 3

# The length of a film and of its segments, in seconds. The live films are longer, so that a stream does not run out.
SECONDS, SEGMENT = 20, 2
COUNT = SECONDS // SEGMENT
# The film `large` is shorter, and has the bytes of a real film.
LARGE_SECONDS = 10
LIVE_SECONDS = {1: 90, 2: 200}

# Each film is a folder with the list film.m3u8.
FILMS = ("ts", "fmp4", "aes", "ts-ranges", "fmp4-ranges", "renditions", "discontinuity", "large")

PICTURE = ["-c:v", "libx264", "-preset", "ultrafast", "-g", 10, "-keyint_min", 10, "-sc_threshold", 0, "-bf", 0, "-threads", 1]
SOUND = ["-c:a", "aac", "-b:a", "32k"]


def folder():
    """The folder with every film, and with the two live films in `live-1` and `live-2`."""
    return once.made(FOLDER / str(VERSION), make)


def run(*words, folder=None):
    words = [str(word) for word in words]
    done = subprocess.run(words, capture_output=True, cwd=folder)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} failed: {done.stderr.decode()[-400:]}")


def make(folder):
    folder.mkdir()
    sources = folder / "sources"
    sources.mkdir()
    film, other, small = (sources / name for name in ("film.mp4", "other.mp4", "small.mp4"))
    large, live, spoken = sources / "large.mp4", sources / "live.mp4", sources / "spoken.mp4"
    longest = max(LIVE_SECONDS.values())
    jobs = [
        (encode, film, "testsrc2=s=160x96:r=10", "sine=f=300", SECONDS, "60k"),
        (encode, other, "testsrc=s=128x80:r=10", "sine=f=500", SECONDS // 2, "60k"),
        (encode, small, "testsrc2=s=96x64:r=10", "sine=f=300", SECONDS, "30k"),
        (encode, spoken, "testsrc2=s=16x16:r=1", "sine=f=700", SECONDS, "5k"),
        # Noise, so that the encoder needs the whole bit rate.
        (encode, large, "testsrc2=s=640x360:r=10,noise=alls=60:allf=t", "sine=f=300", LARGE_SECONDS, "4M"),
        (encode, live, "testsrc2=s=96x64:r=10", "sine=f=440", longest, "20k"),
    ]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: job[0](*job[1:]), jobs))
    make_segments(folder / "ts", film)
    make_segments(folder / "fmp4", film, "-hls_segment_type", "fmp4", ending="m4s")
    make_encrypted(folder / "aes", folder / "ts")
    make_segments(folder / "ts-ranges", film, "-hls_flags", "single_file", name="all")
    leave_offsets_out(folder / "ts-ranges" / "film.m3u8")
    make_segments(folder / "fmp4-ranges", film, "-hls_segment_type", "fmp4", "-hls_flags", "single_file", name="all", ending="m4s")
    make_segments(folder / "large", large, "-hls_flags", "single_file", name="all")
    make_renditions(folder / "renditions", film, small, spoken)
    make_discontinuity(folder / "discontinuity", film, other)
    for seconds, length in LIVE_SECONDS.items():
        make_segments(folder / f"live-{seconds}", live, "-t", length, seconds=seconds, name="s%03d")
    shutil.rmtree(sources)


def encode(path, picture, sound, seconds, rate):
    """Encodes a test picture and a tone, with a key frame every second."""
    frames = int(picture.partition("r=")[2].partition(",")[0])
    run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", f"{sound}:r=48000,aformat=channel_layouts=mono",
        *PICTURE, "-g", frames, "-keyint_min", frames, "-b:v", rate, "-maxrate", rate, "-bufsize", rate, *SOUND, "-t", seconds, path)


def make_segments(folder, source, *options, seconds=SEGMENT, name="s%02d", ending="ts"):
    folder.mkdir(parents=True)
    run("ffmpeg", "-v", "error", "-i", source, "-c", "copy", "-f", "hls", "-hls_time", seconds, "-hls_playlist_type", "vod",
        "-hls_list_size", 0, *options, "-hls_segment_filename", f"{name}.{ending}", "film.m3u8", folder=folder)


def make_encrypted(folder, plain):
    """Encrypts each segment; the key changes every third one. The vector is an attribute or the sequence number."""
    folder.mkdir()
    lines = []
    for number in range(COUNT):
        turn = number // 3
        key = hashlib.sha256(f"key {turn}".encode()).digest()[:16]
        has_vector = turn % 2 == 0
        vector = hashlib.sha256(f"vector {turn}".encode()).digest()[:16] if has_vector else number.to_bytes(16, "big")
        if number % 3 == 0:
            (folder / f"k{turn}.key").write_bytes(key)
            lines.append(f'#EXT-X-KEY:METHOD=AES-128,URI="k{turn}.key"' + (f",IV=0x{vector.hex()}" if has_vector else ""))
        run("openssl", "enc", "-aes-128-cbc", "-K", key.hex(), "-iv", vector.hex(), "-in", plain / f"s{number:02}.ts",
            "-out", folder / f"s{number:02}.ts")
        lines += [f"#EXTINF:{SEGMENT}.000000,", f"s{number:02}.ts"]
    write(folder / "film.m3u8", lines)


def write(path, lines, version=4):
    head = ["#EXTM3U", f"#EXT-X-VERSION:{version}", f"#EXT-X-TARGETDURATION:{SEGMENT}", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:VOD"]
    path.write_text("\n".join([*head, *lines, "#EXT-X-ENDLIST", ""]))


def leave_offsets_out(path):
    """Removes the offset of every second range, which then continues after the previous one."""
    lines, count = [], 0
    for line in path.read_text().splitlines():
        if line.startswith("#EXT-X-BYTERANGE:"):
            line = line.partition("@")[0] if count % 2 else line
            count += 1
        lines.append(line)
    path.write_text("\n".join([*lines, ""]))


def make_renditions(folder, film, small, spoken):
    """Two pictures, two sounds and subtitles, each in a folder of its own, and a master list."""
    for name, source, stream in (("high", film, "v"), ("low", small, "v"), ("tone", film, "a"), ("voice", spoken, "a")):
        make_segments(folder / name, source, "-map", f"0:{stream}:0")
    subtitles = folder / "subtitles"
    subtitles.mkdir()
    lines = []
    for number in range(COUNT):
        begin, end = number * SEGMENT, number * SEGMENT + 1
        (subtitles / f"s{number:02}.vtt").write_text(
            f"WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:126000,LOCAL:00:00:00.000\n\n00:00:{begin:02}.000 --> 00:00:{end:02}.000\nLine {number}\n")
        lines += [f"#EXTINF:{SEGMENT}.000000,", f"s{number:02}.vtt"]
    write(subtitles / "film.m3u8", lines)
    (folder / "film.m3u8").write_text("\n".join([
        "#EXTM3U", "#EXT-X-VERSION:4",
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="Tone, low",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,URI="tone/film.m3u8"',
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="Voice",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,URI="voice/film.m3u8"',
        '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="text",NAME="Words",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=NO,FORCED=NO,URI="subtitles/film.m3u8"',
        '#EXT-X-STREAM-INF:BANDWIDTH=80000,RESOLUTION=96x64,CODECS="avc1.42c00a,mp4a.40.2",AUDIO="sound",SUBTITLES="text"',
        "low/film.m3u8",
        '#EXT-X-STREAM-INF:BANDWIDTH=160000,RESOLUTION=160x96,CODECS="avc1.42c00a,mp4a.40.2",AUDIO="sound",SUBTITLES="text"',
        "high/film.m3u8", ""]))


def make_discontinuity(folder, film, other):
    """The first half of one film, and another film, by another encoder of other pictures, that goes on after it."""
    make_segments(folder, film, "-t", SECONDS // 2, name="a%02d")
    first = (folder / "film.m3u8").read_text().splitlines()
    later = ["-output_ts_offset", SECONDS // 2 + 0.1, "-hls_segment_options", "mpegts_flags=initial_discontinuity"]
    make_segments(folder / "second", other, *later, name="b%02d")
    second = (folder / "second" / "film.m3u8").read_text().splitlines()
    for path in (folder / "second").glob("*.ts"):
        path.rename(folder / path.name)
    (folder / "second" / "film.m3u8").unlink()
    (folder / "second").rmdir()
    begin = next(at for at, line in enumerate(second) if line.startswith("#EXTINF"))
    (folder / "film.m3u8").write_text("\n".join([*first[:-1], "#EXT-X-DISCONTINUITY", *second[begin:], ""]))


def segments(film):
    """The names of a film's files, without its lists."""
    top = folder() / film
    return sorted(str(path.relative_to(top)) for path in Path(top).rglob("*") if path.is_file() and path.suffix != ".m3u8")
