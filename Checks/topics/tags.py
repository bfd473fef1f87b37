# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Tags of real audio files: they equal mutagen's."""

import json
import re
import shutil
import subprocess
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import packets
from check_results import equal, expect
from stage import media, sounds
from stage.stage import Stage

HERE = Path(__file__).resolve().parent.parent
# `read` leaves these ID3v2 frames out of Weir's fields, because mutagen_tags.py lists only texts, URLs and pictures.
OPAQUE = re.compile(r"PRIV|GEOB|UFID|POPM|PCNT|MCDI|CHAP|CTOC|APIC|RVA|RGAD|SYLT|ETCO|MLLT|POSS|AENC|ENCR|GRID|LINK|SEEK")


def run(results):
    with Stage("tags") as stage:
        python = python_with_mutagen()
        songs = [media.folder() / f"song.{ending}" for ending in ("mp3", "m4a", "ogg", "opus", "flac")]
        folder = stage.new_folder("tagged")
        words = [python, HERE / "mutagen_write.py", folder, *songs]
        done = subprocess.run(words, capture_output=True, check=True, timeout=60)
        written = [Path(line) for line in done.stdout.decode().splitlines()]
        made = tagged_by_encoders(folder, songs)
        compare(results, stage, python, "tags that mutagen wrote", written)
        compare(results, stage, python, "tags that encoders wrote", made)
        names = sounds.SMALL_PACKAGES + (sounds.LARGE_PACKAGES if results.is_long else ())
        found = [sound.path for sound in sounds.packages(names) if sound.path.suffix != ".wav"]
        compare(results, stage, python, "tags in Debian's packages", found)
        chapters(results, stage, written)


def python_with_mutagen():
    for name in ("python3", "/usr/bin/python3"):
        path = shutil.which(name)
        if path and subprocess.run([path, "-c", "import mutagen"], capture_output=True).returncode == 0:
            return path
    raise RuntimeError("no Python here has mutagen; install Debian's python3-mutagen")


def tagged_by_encoders(folder, songs):
    wav = sounds.source(44100, 2)
    metadata = ["-metadata", "title=Ein Lied für Zoë 歌", "-metadata", "artist=One", "-metadata", "track=3/12"]
    commands = {
        "lavf-3.mp3": ["ffmpeg", "-v", "error", "-y", "-i", wav, *metadata, "-id3v2_version", 3, "-write_id3v1", 1],
        "lavf-4.mp3": ["ffmpeg", "-v", "error", "-y", "-i", wav, *metadata, "-id3v2_version", 4],
        "lavf.m4a": ["ffmpeg", "-v", "error", "-y", "-i", wav, *metadata],
        "lavf.flac": ["ffmpeg", "-v", "error", "-y", "-i", wav, *metadata],
        "lame.mp3": ["lame", "--quiet", "--tt", "Title", "--ta", "Artist", "--tl", "Album", "--tn", "3/12", wav],
        "vorbis.ogg": ["oggenc", "-Q", "-t", "Titel ö", "-a", "One", "-a", "Two", wav, "-o"],
        "opus.opus": ["opusenc", "--quiet", "--title", "Titel ö", "--artist", "One", wav],
        "flac.flac": ["flac", "--silent", "--force", "-T", "TITLE=Titel ö", "-T", "title=second", wav, "-o"],
    }
    made = []
    for name, words in commands.items():
        sounds.run([*words, folder / name])
        made.append(folder / name)
    return made


def compare(results, stage, python, what, paths):
    with results.check(f"{what}: weir reads them as mutagen does") as check:
        expect(paths, "there are no files")
        asked = "".join(f"{path}\n" for path in paths).encode()
        done = subprocess.run([python, HERE / "mutagen_tags.py"], input=asked, capture_output=True, timeout=300)
        equal(done.returncode, 0, f"mutagen's exit status, with {done.stderr.decode()[-300:]!r},")
        expected = {line["path"]: line for line in map(json.loads, done.stdout.splitlines())}
        with ThreadPoolExecutor(2) as pool:
            seen = dict(zip(paths, pool.map(lambda path: read(path, stage.environment), paths)))
        bad = []
        for path in paths:
            fields, pictures = seen[path]
            if fields != expected[str(path)]["fields"]:
                bad.append(f"{path.name}: {different(fields, expected[str(path)]['fields'])}")
            elif pictures != expected[str(path)]["pictures"]:
                bad.append(f"{path.name}: pictures {pictures} for {expected[str(path)]['pictures']}")
        expect(not bad, f"{len(bad)} of {len(paths)} differ: {'; '.join(bad[:4])}")
        fields = sum(len(line["fields"]) for line in expected.values())
        pictures = sum(len(line["pictures"]) for line in expected.values())
        check.figure = f"{len(paths)} files, {fields} fields, {pictures} pictures"


def different(seen, expected):
    names = [name for name in {**seen, **expected} if seen.get(name) != expected.get(name)]
    return ", ".join(f"{name} is {seen.get(name)} for {expected.get(name)}" for name in names[:3])


def read(path, environment):
    """Fields and pictures by mutagen's names; if a file has several tags, only the one that mutagen reads."""
    tags = packets.summary_by_weir(path, environment)["tags"]
    order = ["id3v2", "vorbisComment", "mp4", "ape", "id3v1"]
    kinds = [kind for kind in order if any(tag["kind"] == kind for tag in tags)]
    fields, pictures = defaultdict(list), []
    for tag in tags:
        if not kinds or tag["kind"] != kinds[0]:
            continue
        for field in tag["fields"]:
            name = field["name"].upper() if tag["kind"] == "vorbisComment" else field["name"]
            if tag["kind"] == "id3v2" and OPAQUE.match(name):
                continue
            fields[name] += field["values"]
        pictures += [
            {key: picture[key] for key in ("kind", "mediaType", "description", "md5")} for picture in tag["pictures"]
        ]
    return dict(fields), pictures


def chapters(results, stage, written):
    with results.check("chapters have their times and titles"):
        path = next(path for path in written if path.name == "id3-2.4-3.mp3")
        (tag,) = [tag for tag in packets.summary_by_weir(path, stage.environment)["tags"] if tag["kind"] == "id3v2"]
        expected = [
            {"startMilliseconds": 500 * index, "endMilliseconds": 500 * index + 500, "title": f"Песня 歌 𝄞 {index}"}
            for index in range(3)
        ]
        equal(tag["chapters"], expected, "the chapters")
