# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Lists that no server should send, addresses that no list names, and the form of the answers."""

import gzip
import re
from urllib.parse import urljoin

from check_results import equal, expect
from hls_films import path
from hls_lists import addresses, fetched
from servers.hls_origin import LIST_TYPE
from stage import web

HEAD = "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n"
END = "#EXT-X-ENDLIST\n"
PAGE = b"<!DOCTYPE html><html><body>Please sign in.</body></html>"


def media(*addresses):
    return (HEAD + "".join(f"#EXTINF:2.0,\n{address}\n" for address in addresses) + END).encode()


def coded(body):
    """A route that answers with gzip, whatever is asked."""
    return lambda handler: handler.answer(200, body, Content_Type=LIST_TYPE, Content_Encoding="gzip", ETag='"bomb"')


def put(origin, name, body):
    origin.routes[f"/odd/{name}"] = body
    return f"odd/{name}"


def bounds(origin, weir):
    """Lists over a bound; returns the sentence for each."""
    line = "#" + "x" * 1000 + "\n"
    big = {
        "8 MiB": (HEAD + line * 9000 + END).encode(),
        "200,000 lines": (HEAD + "#x\n" * 200_001 + END).encode(),
        "16 KiB in a line": (HEAD + "#" + "x" * (17 << 10) + "\n" + END).encode(),
    }
    bomb = gzip.compress((HEAD + line * 7000 + END).encode(), mtime=0)
    places = {name: put(origin, f"big-{number}.m3u8", body) for number, (name, body) in enumerate(big.items())}
    places[f"gzip, {7_000_000 // len(bomb)} times as large"] = put(origin, "bomb.m3u8", coded(bomb))
    said = {}
    for name, place in places.items():
        answer = web.fetch(weir.base + place)
        equal(answer.status, 502, f"the status for {name}, with {answer.text[:200]!r},")
        text = re.sub(r"<[^>]*>", " ", answer.text).strip()
        expect(len(text) > 20 and text.endswith("."), f"{name}: the body is no sentence: {text[:200]!r}")
        said[name] = text
    return said


def within_bounds(origin, weir):
    """A list just below every bound passes."""
    body = (HEAD + ("#" + "x" * 1000 + "\n") * 7000 + "#x\n" * 190_000 + "#" + "y" * (15 << 10) + "\n" + END).encode()
    answer = fetched(weir.base + put(origin, "nearly.m3u8", body))
    expect(answer.body == body, "a list without addresses was changed")
    return len(body)


def not_text(origin, weir):
    """A list that is not UTF-8 keeps its bytes, also a byte order mark and CRLF."""
    body = HEAD.encode() + b"#EXTINF:2.0,Caf\xe9 \xff\xfe\ns00.ts\n" + END.encode()
    answer = fetched(weir.base + put(origin, "latin.m3u8", body))
    expect(b"#EXTINF:2.0,Caf\xe9 \xff\xfe\n" in answer.body, "the bytes that are not UTF-8 have changed")
    body = b"\xef\xbb\xbf" + HEAD.replace("\n", "\r\n").encode() + b"#EXTINF:2.0,\r\ns00.ts\r\n" + END.encode()
    answer = web.fetch(weir.base + put(origin, "marked.m3u8", body))
    equal(answer.status, 200, "the status of a list with a byte order mark")
    given = re.search(rb"film|marked\.m3u8/~hls/~[A-Za-z0-9_-]{75}/[^\r\n]+\r\n", answer.body)
    expect(given, f"the list with a byte order mark has no address of Weir's: {answer.body[-200:]!r}")
    equal(answer.body.count(b"\r\n"), body.count(b"\r\n"), "the count of line ends")
    return len(body)


def page(origin, weir):
    """A page under the name of a list gets what any other file of media gets."""
    one, other = (web.fetch(weir.base + put(origin, f"page.{ending}", ("text/html", PAGE))) for ending in ("m3u8", "mp4"))
    equal((one.status, one.text.replace("page.m3u8", "page.mp4")), (other.status, other.text), "the status and the body")
    for name in ("content-type", "content-security-policy", "x-content-type-options", "cache-control"):
        equal(one.headers.get(name), other.headers.get(name), name)
    return f"{one.status} for both"


def odd_addresses(origin, weir):
    """Addresses that lead nowhere are 404, and the others play."""
    odd = ["file:///etc/passwd", "javascript:alert(1)", "http://[bad/s.ts", "ftp://127.0.0.1/s.ts"]
    files = [f"/plain/odd/ts/s{number:02}.ts" for number in range(2)]
    url = weir.base + put(origin, "odd.m3u8", media(files[0], *odd, files[1]))
    text = fetched(url).text
    for word in ("file:", "javascript:", "ftp:", "[bad", "passwd", "alert"):
        expect(word not in text, f"the list has {word!r}: {text!r}")
    mark = origin.mark()
    statuses = [web.fetch(urljoin(url, address)) for address in addresses(text)]
    equal([answer.status for answer in statuses], [200, *[404] * len(odd), 200], "the statuses of the addresses")
    for answer, name in ((statuses[0], "s00.ts"), (statuses[-1], "s01.ts")):
        expect(answer.body == (origin.films / "ts" / name).read_bytes(), f"the bytes of {name} differ")
    equal(len(origin.of("odd", mark)), 2, "the requests to the origin")
    return f"{len(odd)} addresses"


def untouched(origin, weir):
    """Keys of other systems stay as they are."""
    lines = ['#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://asset?id=1",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"',
             '#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI="data:text/plain;base64,AAAA",KEYFORMAT="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"',
             '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/k?x=1",KEYFORMAT="com.example.other"',
             "#EXT-X-UNKNOWN:URI=\"s.bin\",A=1", "# a comment with URI=\"x\""]
    body = (HEAD + "\n".join(lines) + "\n#EXTINF:2.0,\ns00.ts\n" + END).encode()
    text = fetched(weir.base + put(origin, "keys.m3u8", body)).text
    for line in lines:
        expect(line in text.splitlines(), f"the line {line!r} has changed in {text!r}")
    return f"{len(lines)} lines"


def ids(origin, weir, other):
    """Forged, cut and foreign addresses; `other` is a Weir with another secret. Nothing is asked of the origin."""
    one, two = (weir.base + path("plain", label, "ts") for label in ("ids-a", "ids-b"))
    mine, theirs = addresses(fetched(one).text), addresses(fetched(two).text)
    foreign = addresses(fetched(other.base + path("plain", "ids-a", "ts")).text)
    front, mark, number, name = re.fullmatch(r"(.*/~hls/)(~)([\w-]{75})/(.*)", mine[3]).groups()
    tries = {
        "its last letter changed": f"{front}{mark}{number[:-3]}{'AAA' if number[-3:] != 'AAA' else 'BBB'}/{name}",
        "its first letter changed": f"{front}{mark}{'A' if number[0] != 'A' else 'B'}{number[1:]}/{name}",
        "cut": f"{front}{mark}{number[:40]}/{name}",
        "empty": f"{front}{mark}/{name}",
        "longer": f"{front}{mark}{number}A/{name}",
        "of another list": f"{front}{theirs[3].split('/~hls/')[1]}",
        "of another Weir": foreign[3],
    }
    before = origin.mark()
    for what, address in tries.items():
        answer = web.fetch(urljoin(one, address))
        equal(answer.status, 404, f"the status of an address {what}")
    asked = [each.path for each in origin.of("ids-a", before) + origin.of("ids-b", before)]
    equal(asked, [], "what the origin was asked")
    equal(web.fetch(urljoin(one, mine[3])).status, 200, "the status of the true address")
    return f"{len(tries)} addresses"


def end_of_chain(weir, place, most):
    """Follows the first address of each list until an answer is no list; returns its status and how deep it is."""
    url = weir.base + place
    for depth in range(1, most + 1):
        answer = web.fetch(url)
        if answer.status != 200 or not answer.body.startswith(b"#EXTM3U"):
            return answer.status, depth
        listed = addresses(answer.text)
        if not listed:
            return answer.status, depth
        url = urljoin(url, listed[0])
    return 200, most


def nested(origin, weir):
    """A master list that names itself, two that name each other, and lists that are nested over 4 deep, are 502."""
    def master(name):
        return f"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\n{name}\n".encode()

    found = {"itself": put(origin, "self.m3u8", master("self.m3u8")), "each other": put(origin, "ping.m3u8", master("pong.m3u8"))}
    put(origin, "pong.m3u8", master("ping.m3u8"))
    for number in range(1, 7):
        put(origin, f"deep-{number}.m3u8", master(f"deep-{number + 1}.m3u8"))
    found["deep"] = "odd/deep-1.m3u8"
    seen = {what: end_of_chain(weir, place, 8) for what, place in found.items()}
    for what, (status, depth) in seen.items():
        equal(status, 502, f"the status at depth {depth} of lists that name {what}")
        expect(depth <= 6, f"{what}: the status came at depth {depth}")
    # Four deep is allowed.
    for number in range(1, 4):
        put(origin, f"fair-{number}.m3u8", master(f"fair-{number + 1}.m3u8"))
    put(origin, "fair-4.m3u8", media("/plain/odd/ts/s00.ts"))
    equal(end_of_chain(weir, "odd/fair-1.m3u8", 8), (200, 5), "the status and depth of a segment below four lists")
    return ", ".join(f"{what}: {status} at depth {depth}" for what, (status, depth) in seen.items())


def plain(origin, weir):
    """A playlist of songs is no HLS list, whatever its name."""
    body = "#EXTM3U\n#EXTINF:213,Artist - Title\nsong one.mp3\n#EXTINF:-1,Radio\nhttp://radio.example/stream\n".encode()
    for name in ("songs.m3u", "songs.m3u8"):
        answer = web.fetch(weir.base + put(origin, name, ("audio/x-mpegurl", body)))
        equal((answer.status, answer.body), (200, body), f"the status and the bytes of {name}")
    return f"{len(body)} bytes"


def variables(origin, weir):
    """A variable has its value from the query of the list's own address."""
    text = HEAD + '#EXT-X-DEFINE:QUERYPARAM="part"\n#EXTINF:2.0,\n/plain/odd/ts/s0{$part}.ts\n' + END
    url = f"{weir.base}{put(origin, 'query.m3u8', text.encode())}?part=7"
    text = fetched(url).text
    expect("DEFINE" not in text and "{$" not in text, f"the list still has variables: {text!r}")
    answer = web.fetch(urljoin(url, addresses(text)[0]))
    expect(answer.body == (origin.films / "ts" / "s07.ts").read_bytes(), f"the bytes differ; the status is {answer.status}")
    return "QUERYPARAM"


def own_folder(origin, weir):
    """An origin's own folder ~hls plays."""
    data = (origin.films / "ts" / "s00.ts").read_bytes()
    origin.routes["/odd/~hls/s00.ts"] = ("video/mp2t", data)
    origin.routes["/odd/film.m3u8/~hls/song.ts"] = ("video/mp2t", data)
    url = weir.base + put(origin, "~hls/own.m3u8", media("s00.ts"))
    text = fetched(url).text
    expect(web.fetch(urljoin(url, addresses(text)[0])).body == data, "the bytes of the listed segment differ")
    for place in ("odd/~hls/s00.ts", "odd/film.m3u8/~hls/song.ts"):
        expect(web.fetch(weir.base + place).body == data, f"the bytes of {place} differ")
    return "2 files, 1 list"


def folder(origin, weir):
    """A list at the address of a folder has its segments below that address."""
    url = weir.base + put(origin, "folder/", media("/plain/odd/ts/s00.ts"))
    listed = addresses(fetched(url).text)
    expect(web.fetch(urljoin(url, listed[0])).body == (origin.films / "ts" / "s00.ts").read_bytes(), "the bytes of the segment differ")
    return listed[0]


def answers(origin, weir):
    """Range, HEAD, If-None-Match and OPTIONS on a list, and the fields of its answers."""
    url = weir.base + path("cached", "answers", "ts")
    whole = fetched(url)
    size, tag = len(whole.body), whole.headers.get("etag", "")
    equal(whole.headers.get("content-length"), str(size), "Content-Length")
    expect(tag.startswith('"'), f"the ETag is {tag!r}")
    equal(whole.headers.get("content-type"), LIST_TYPE, "Content-Type")
    expect("no-cache" in whole.headers.get("cache-control", ""), f"Cache-Control is {whole.headers.get('cache-control')!r}")
    for field, lower, upper in (("bytes=0-", 0, size), ("bytes=10-19", 10, 20), ("bytes=-30", size - 30, size), (f"bytes=5-{size * 2}", 5, size)):
        answer = web.fetch(url, {"Range": field})
        equal((answer.status, answer.headers.get("content-range")), (206, f"bytes {lower}-{upper - 1}/{size}"), f"the answer to {field}")
        expect(answer.body == whole.body[lower:upper], f"the bytes for {field} differ")
    answer = web.fetch(url, {"Range": f"bytes={size}-"})
    equal((answer.status, answer.headers.get("content-range")), (416, f"bytes */{size}"), "the answer to a range behind the end")
    answer = web.fetch(url, method="HEAD")
    equal((answer.status, answer.body, answer.headers.get("content-length"), answer.headers.get("etag")), (200, b"", str(size), tag), "HEAD")
    for headers in ({"If-None-Match": tag}, {"If-None-Match": f'"other", {tag}'}, {"If-None-Match": tag, "Range": "bytes=0-9"}):
        answer = web.fetch(url, headers)
        equal((answer.status, answer.body), (304, b""), f"the answer to {headers}")
    answer = web.fetch(url, {"If-None-Match": '"other"'})
    equal((answer.status, answer.body), (200, whole.body), "the answer to another ETag")
    answer = web.fetch(url, {"Range": "bytes=0-9", "If-Range": '"other"'})
    equal((answer.status, answer.body), (200, whole.body), "the answer to another If-Range")
    return f"{size} bytes"


def ranges(origin, weir):
    """A file that a list names in parts: any range of it, one that has no end, and the type of its bytes."""
    url = weir.base + path("plain", "parts", "fmp4-ranges")
    listed = addresses(fetched(url).text)
    data = (origin.films / "fmp4-ranges" / "all.m4s").read_bytes()
    for number, address in enumerate(listed[:4]):
        with web.Line(urljoin(url, address)) as line:
            for lower, upper in ((0, 1000), (1354, 20_000), (40_000, 90_000), (len(data) - 7, len(data))):
                answer = line.ask(headers={"Range": f"bytes={lower}-{upper - 1}"})
                equal((answer.status, answer.headers.get("content-range")), (206, f"bytes {lower}-{upper - 1}/{len(data)}"), f"address {number}")
                expect(answer.body == data[lower:upper], f"the bytes from {lower} to {upper} at address {number} differ")
            # The end of an open range is the server's choice (RFC 9110, 15.3.7); a client asks on from there.
            at = 0
            for _ in range(200):
                answer = line.ask(headers={"Range": f"bytes={at}-"})
                equal(answer.status, 206, f"the status from {at} on")
                equal(answer.headers.get("content-range"), f"bytes {at}-{at + len(answer.body) - 1}/{len(data)}", "Content-Range")
                expect(answer.body and answer.body == data[at : at + len(answer.body)], f"the bytes from {at} on differ")
                at += len(answer.body)
                if at == len(data):
                    break
            equal(at, len(data), "the end of the open ranges")
            expect(line.ask().body == data, "the whole differs")
    sent = sum(each.sent for each in origin.of("parts") if not each.is_list)
    expect(sent <= len(data), f"the origin sent {sent} bytes of {len(data)}")
    return f"{sent} of {len(data)} bytes"


def cross_origin(weir, site):
    """A page of an allowed site may read lists, segments and errors."""
    url = weir.base + path("plain", "cross", "ts")
    segment = urljoin(url, addresses(fetched(url).text)[0])
    for place, status in ((url, 200), (segment, 200), (url.replace("film.m3u8", "none.m3u8"), 404), (segment[:-9], 404)):
        answer = web.fetch(place, {"Origin": site})
        equal((answer.status, answer.headers.get("access-control-allow-origin")), (status, site), f"status and permission of {place[-40:]}")
        asked = {"Origin": site, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range"}
        answer = web.fetch(place, asked, method="OPTIONS")
        expect(answer.status in (200, 204), f"the status of OPTIONS is {answer.status}")
        equal(answer.headers.get("access-control-allow-origin"), site, f"the permission of OPTIONS for {place[-40:]}")
        equal(web.fetch(place, {"Origin": "http://other.example"}).headers.get("access-control-allow-origin"), None, "another site's permission")
    return site
