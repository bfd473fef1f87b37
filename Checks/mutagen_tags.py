# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Prints the tags of files as mutagen reads them: a line of JSON for each file.

It is a program of its own, because mutagen belongs to the system's Python, which may differ from that of the checks.
"""

import base64
import hashlib
import json
import sys

import mutagen
from mutagen.flac import FLAC, Picture
from mutagen.id3 import ID3, ID3NoHeaderError
from mutagen.mp4 import MP4, MP4Cover, MP4FreeForm


def picture(kind, media_type, description, data):
    return {"kind": int(kind), "mediaType": media_type, "description": description, "md5": hashlib.md5(data).hexdigest()}


def id3(tags, fields, pictures):
    for name, frame in tags.items():
        if frame.FrameID == "APIC":
            pictures.append(picture(frame.type, frame.mime, frame.desc, frame.data))
        elif hasattr(frame, "text"):
            text = frame.text if isinstance(frame.text, list) else [frame.text]
            fields[name] = [str(value) for value in text]
        elif hasattr(frame, "url"):
            # mutagen appends the URL to the names of these frames, because a tag may have several of them.
            fields.setdefault(frame.FrameID if frame.FrameID in ("WOAR", "WCOM") else name, []).append(frame.url)


def vorbis(tags, fields, pictures):
    for name, value in tags:
        if name.lower() == "metadata_block_picture":
            found = Picture(base64.b64decode(value))
            pictures.append(picture(found.type, found.mime, found.desc, found.data))
        else:
            fields.setdefault(name.upper(), []).append(value)


def mp4(tags, fields, pictures):
    kinds = {MP4Cover.FORMAT_JPEG: "image/jpeg", MP4Cover.FORMAT_PNG: "image/png"}
    for name, values in tags.items():
        if name == "covr":
            pictures += [picture(3, kinds[cover.imageformat], "", bytes(cover)) for cover in values]
        elif isinstance(values, list):
            fields[name] = [text(value) for value in values]
        else:
            fields[name] = [text(values)]


def text(value):
    if isinstance(value, MP4FreeForm):
        return value.decode("utf-8")
    if isinstance(value, tuple):
        return "/".join(str(part) for part in value)
    if isinstance(value, bool):
        return str(int(value))
    return str(value)


def tags_of(path):
    file = mutagen.File(path)
    fields, pictures = {}, []
    if file is not None and isinstance(file.tags, ID3):
        # Reads the stored names: by default, mutagen renames frames of version 2.3 to those of 2.4.
        try:
            file.tags = ID3(path, translate=False, load_v1=False)
        except ID3NoHeaderError:
            # The file has only a tag of version 1, to which mutagen gives the names of version 2.
            pass
    if file is not None and file.tags is not None:
        if isinstance(file.tags, ID3):
            id3(file.tags, fields, pictures)
        elif isinstance(file, MP4):
            mp4(file.tags, fields, pictures)
        else:
            vorbis(file.tags, fields, pictures)
    if isinstance(file, FLAC):
        pictures += [picture(found.type, found.mime, found.desc, found.data) for found in file.pictures]
    return {"path": path, "fields": fields, "pictures": pictures}


for line in sys.stdin:
    print(json.dumps(tags_of(line.rstrip("\n"))), flush=True)
