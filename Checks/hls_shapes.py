# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Two lists with every tag and every form of address, and another reader of lists to agree with.

In a template, « and » enclose an address that must be changed, and a line with a minus must be left out.
"""

import json
import re
import subprocess
import sys
from urllib.parse import urljoin, urlsplit

from check_results import Skipped, equal, expect
from hls_films import path
from hls_lists import GIVEN, fetched
from stage import hls, web

MEDIA = """#EXTM3U
#EXT-X-VERSION:9
# a comment, with URI="kept.ts"
#EXT-X-TARGETDURATION:2
#EXT-X-MEDIA-SEQUENCE:7
#EXT-X-DISCONTINUITY-SEQUENCE:2
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-START:TIME-OFFSET=0.5,PRECISE=NO
-#EXT-X-DEFINE:NAME="folder",VALUE="ts"
-#EXT-X-DEFINE:NAME="empty",VALUE=""
-#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5
-#EXT-X-PART-INF:PART-TARGET=0.5
#EXT-X-UNKNOWN-TAG:A="b,c",URI="kept.bin",D
#EXTINF:2.0,a title, with "quotes" and URI="kept.ts"
«/plain/odd/ts/s00.ts»
#EXT-X-PROGRAM-DATE-TIME:2026-11-30T05:00:00.000Z
#EXT-X-DATERANGE:ID="ad,1",CLASS="x=y",START-DATE="2026-11-30T05:00:00.000Z",X-ASSET-URI="«../../plain/odd/ts/s09.ts»",X-OTHER="kept"
#EXTINF:2.0,

«../../plain/odd/ts/s01.ts»
#EXT-X-KEY:METHOD=AES-128,URI="«/plain/odd/aes/k0.key»",IV=0X00000000000000000000000000000001
#EXTINF:2.0,
#EXT-X-BITRATE:120
«HOST/plain/odd/ts/s02.ts»
#EXT-X-KEY:IV=0x2,URI="«/plain/odd/aes/k1.key»",KEYFORMAT="identity",METHOD=AES-128,KEYFORMATVERSIONS="1"
#EXTINF:2.0,
«//AUTHORITY/plain/odd/ts/s03.ts»
#EXT-X-KEY:METHOD=NONE
#EXT-X-DISCONTINUITY
#EXTINF:2.0,
«../.././plain/odd/aes/../ts/s04.ts»
#EXTINF:2.0,
«/plain/odd/{$folder}/s05{$empty}.{$folder}»
-#EXT-X-PART:DURATION=0.5,URI="/plain/odd/ts/s06.ts",INDEPENDENT=YES
-#EXT-X-PART:DURATION=0.5,URI="/plain/odd/ts/s06.ts",BYTERANGE="100@0"
#EXTINF:2.0,
«/plain/odd/ts/s06.ts?a=1&b=%2F,x»
#EXT-X-MAP:BYTERANGE="BYTES@0",URI="«/plain/odd/fmp4-ranges/all.m4s»"
#EXTINF:2.0,
#EXT-X-BYTERANGE:1000@2000
«/plain/odd/fmp4-ranges/all.m4s»
#EXTINF:2.0,
#EXT-X-BYTERANGE:500
«/plain/odd/fmp4-ranges/all.m4s»
#EXT-X-GAP
#EXTINF:2.0,
«/plain/odd/ts/s07.ts»
#EXT-X-MAP:URI="«/plain/odd/fmp4/init.mp4»"
#EXTINF:2.0,
«/plain/odd/fmp4/s00.m4s»
-#EXT-X-PRELOAD-HINT:TYPE=PART,URI="/plain/odd/ts/s09.ts"
-#EXT-X-RENDITION-REPORT:URI="/plain/odd/ts/film.m3u8",LAST-MSN=9,LAST-PART=1
#EXT-X-ENDLIST
"""

MASTER = """#EXTM3U
#EXT-X-VERSION:7
-#EXT-X-CONTENT-STEERING:SERVER-URI="/steering?x=1",PATHWAY-ID="A"
-#EXT-X-DEFINE:NAME="film",VALUE="film.m3u8"
#EXT-X-SESSION-DATA:DATA-ID="com.example.title",VALUE="A, title"
#EXT-X-SESSION-DATA:DATA-ID="com.example.more",URI="«/odd/shapes/more.json»"
#EXT-X-SESSION-KEY:METHOD=AES-128,URI="«/plain/odd/aes/k0.key»"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Tone, URI=x",LANGUAGE="de",DEFAULT=YES,URI="«/plain/odd/renditions/tone/{$film}»"
#EXT-X-MEDIA:URI="«/plain/odd/renditions/subtitles/film.m3u8»",TYPE=SUBTITLES,GROUP-ID="t",NAME="Words"
#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="CC",INSTREAM-ID="CC1"
#EXT-X-STREAM-INF:BANDWIDTH=80000,RESOLUTION=96x64,CODECS="avc1.42c00a,mp4a.40.2",AUDIO="a",SUBTITLES="t",CLOSED-CAPTIONS="c"
# a comment between a tag and its address

«../../plain/odd/renditions/low/film.m3u8»
#EXT-X-STREAM-INF:BANDWIDTH=160000,RESOLUTION=160x96,AUDIO="a"
«HOST/plain/odd/renditions/high/film.m3u8?quality=1»
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=20000,URI="«/plain/odd/ts/film.m3u8»",RESOLUTION=160x96
#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=2000,RESOLUTION=16x9,CODECS="jpeg",URI="«/plain/odd/fmp4/film.m3u8»"
"""

# The lines of the byte ranges in MEDIA, by the count of the address: the window in the file.
WINDOWS = {10: (2000, 3000), 11: (3000, 3500)}

READER = """
import json, m3u8, sys
def masked(value):
    if isinstance(value, dict):
        return {name: "" if name in ("uri", "base_uri") and inner else masked(inner) for name, inner in value.items()}
    return [masked(inner) for inner in value] if isinstance(value, list) else value
print(json.dumps([masked(m3u8.loads(text).data) for text in json.load(sys.stdin)], default=str))
"""


def compared(origin, weir, given):
    """Compares both lists with their templates, and follows each address."""
    count = 0
    map_size = (origin.films / "fmp4" / "init.mp4").stat().st_size
    origin.routes["/odd/shapes/more.json"] = ("application/json", b'{"a": 1}')
    for name, template in (("media", MEDIA), ("master", MASTER)):
        template = template.replace("HOST", origin.base.rstrip("/")).replace("AUTHORITY", urlsplit(origin.base).netloc)
        template = template.replace("BYTES", str(map_size))
        lines = [line for line in template.splitlines(keepends=True)]
        place = f"/odd/shapes/{name}.m3u8"
        origin.routes[place] = re.sub("[«»]", "", "".join(line.removeprefix("-") for line in lines)).encode()
        expected = "".join(line for line in lines if not line.startswith("-"))
        url = weir.base + place.lstrip("/")
        text = fetched(url).text
        given.append(text)
        pattern = re.sub("«[^»]*»", "\0", expected)
        pattern = re.escape(pattern).replace(re.escape("\0"), '([^"\n]*)')
        found = re.fullmatch(pattern, text)
        if not found:
            differences = [pair for pair in zip(re.sub("«[^»]*»", "…", expected).splitlines(), text.splitlines())
                           if not same_line(*pair)]
            expect(False, f"{name}: the first line that differs, expected and found: {differences[:1]}, of {text!r}")
        wanted = re.findall("«([^»]*)»", template)
        for number, (address, theirs) in enumerate(zip(found.groups(), wanted)):
            expect(GIVEN.fullmatch(address), f"the address {address!r} for {theirs!r} is not one of Weir's")
            follow(origin, url, place, address, theirs, WINDOWS.get(number) if name == "media" else None, map_size)
            count += 1
    return f"{count} addresses"


def same_line(expected, found):
    return re.fullmatch(re.escape(expected).replace("…", '[^"]*'), found) is not None


def follow(origin, url, place, address, theirs, window, map_size):
    """Expects that an address leads to the bytes of its file; a list only has to be one."""
    theirs = theirs.replace("{$folder}", "ts").replace("{$empty}", "").replace("{$film}", "film.m3u8")
    direct = web.fetch(urljoin(origin.base.rstrip("/") + place, theirs))
    equal(direct.status, 200, f"the origin's status for {theirs}")
    headers = {"Range": f"bytes={window[0]}-{window[1] - 1}"} if window else {}
    answer = web.fetch(urljoin(url, address), headers)
    equal(answer.status, 206 if window else 200, f"the status of the address for {theirs}, with {answer.text[:150]!r},")
    if direct.body.startswith(b"#EXTM3U"):
        expect(answer.body.startswith(b"#EXTM3U"), f"the address for {theirs} leads to no list")
    elif window:
        expect(answer.body == direct.body[slice(*window)], f"the bytes of {window} for {theirs} differ")
    elif b"ftyp" not in direct.body[:8] or len(direct.body) == map_size:
        expect(answer.body == direct.body, f"the bytes for {theirs} differ")


def read_by_m3u8(origin, weir):
    """Compares what python3-m3u8 reads from each list and from its copy."""
    python = next((each for each in (sys.executable, "/usr/bin/python3")
                   if subprocess.run([each, "-c", "import m3u8"], capture_output=True).returncode == 0), None)
    if python is None:
        raise Skipped("there is no python3-m3u8; Scripts/set-up players installs it")
    places = {film: (f"{origin.films}/{film}/film.m3u8", weir.base + path("plain", "lists", film)) for film in hls.FILMS}
    texts = []
    for local, url in places.values():
        texts += [open(local).read(), fetched(url).text]
    done = subprocess.run([python, "-c", READER], input=json.dumps(texts), capture_output=True, text=True, timeout=60)
    equal(done.returncode, 0, f"the exit status, with {done.stderr[-300:]!r},")
    read = json.loads(done.stdout)
    for number, film in enumerate(places):
        equal(read[2 * number + 1], read[2 * number], f"what it reads of {film}")
    return f"{len(places)} pairs"
