# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Writes tags with mutagen: `mutagen_write.py FOLDER SONG.mp3 SONG.m4a SONG.ogg SONG.opus SONG.flac`.

Makes copies of the songs in the folder, each with another kind of tag, and prints their paths.
"""

import base64
import shutil
import sys
from pathlib import Path

from mutagen.apev2 import APEv2
from mutagen.flac import FLAC, Picture
from mutagen.id3 import APIC, CHAP, COMM, CTOC, ID3, TALB, TCON, TIT2, TPE1, TRCK, TXXX, USLT, WOAR, CTOCFlags
from mutagen.mp4 import MP4, MP4Cover, MP4FreeForm
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis

folder = Path(sys.argv[1])
mp3, m4a, ogg, opus, flac = sys.argv[2:7]
picture = bytes.fromhex("89504e470d0a1a0a") + bytes(range(256)) * 40
# The first text has only Latin-1 characters; the others have other alphabets and a character of more than 16 bits.
texts = {0: "Ein Lied für Zoë", 1: "Песня 歌 𝄞", 2: "Песня 歌 𝄞", 3: "Песня 歌 𝄞"}


def copied(song, name):
    path = folder / name
    shutil.copyfile(song, path)
    print(path, flush=True)
    return path


for version in (3, 4):
    for encoding, text in texts.items():
        # UTF-16BE without a byte order mark and UTF-8 exist only since version 2.4.
        if version == 3 and encoding > 1:
            continue
        path = copied(mp3, f"id3-2.{version}-{encoding}.mp3")
        tags = ID3()
        tags.add(TIT2(encoding=encoding, text=text))
        tags.add(TPE1(encoding=encoding, text=[text, "Second"] if version == 4 else [text]))
        tags.add(TALB(encoding=encoding, text="Album / with a stroke"))
        tags.add(TRCK(encoding=0, text="3/12"))
        tags.add(TCON(encoding=0, text="(17)Rock"))
        tags.add(TXXX(encoding=encoding, desc="Mood", text="calm"))
        tags.add(COMM(encoding=encoding, lang="deu", desc="note", text="line one\nline two"))
        tags.add(USLT(encoding=encoding, lang="eng", desc="", text="la la"))
        tags.add(WOAR(url="http://artist.example/"))
        tags.add(APIC(encoding=encoding, mime="image/png", type=3, desc="front", data=picture))
        tags.add(APIC(encoding=encoding, mime="image/png", type=4, desc="back", data=picture[:500]))
        for index in range(3):
            chapter = [TIT2(encoding=encoding, text=f"{text} {index}")]
            tags.add(CHAP(element_id=f"c{index}", start_time=index * 500, end_time=index * 500 + 500, sub_frames=chapter))
        flags = CTOCFlags.TOP_LEVEL | CTOCFlags.ORDERED
        tags.add(CTOC(element_id="toc", flags=flags, child_element_ids=["c0", "c1", "c2"], sub_frames=[]))
        tags.save(path, v2_version=version, v1=2)

path = copied(mp3, "ape.mp3")
tags = APEv2()
tags["Title"] = "Песня"
tags["Artist"] = ["One", "Two"]
tags.save(path)

for song, name, kind in ((ogg, "comments.ogg", OggVorbis), (opus, "comments.opus", OggOpus), (flac, "comments.flac", FLAC)):
    path = copied(song, name)
    file = kind(path)
    file["title"] = "Песня 歌 𝄞"
    file["ARTIST"] = ["One", "Two=Three"]
    found = Picture()
    found.type, found.mime, found.desc, found.data = 3, "image/png", "front 歌", picture
    if kind is FLAC:
        file.add_picture(found)
    else:
        file["metadata_block_picture"] = [base64.b64encode(found.write()).decode()]
    file.save()

path = copied(m4a, "tags.m4a")
file = MP4(path)
file["\xa9nam"] = ["Песня 歌 𝄞"]
file["\xa9ART"] = ["One", "Two"]
file["trkn"] = [(3, 12)]
file["disk"] = [(1, 2)]
file["tmpo"] = [120]
file["cpil"] = True
file["----:com.apple.iTunes:MOOD"] = [MP4FreeForm("calm".encode())]
file["covr"] = [MP4Cover(picture, imageformat=MP4Cover.FORMAT_PNG)]
file.save()
