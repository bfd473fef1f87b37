# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""AWS's Signature Version 4 for S3: presigned URLs, signed headers, and the check of both."""

import hashlib
import hmac
import time
from collections import namedtuple
from urllib.parse import quote, unquote, urlsplit

# The keys of an account; a token makes them temporary.
Keys = namedtuple("Keys", "id secret region token", defaults=("us-east-1", None))

ALGORITHM = "AWS4-HMAC-SHA256"
UNSIGNED = "UNSIGNED-PAYLOAD"


def encode(text):
    """Percent-encoding for the signature: all but the unreserved characters."""
    return quote(text, safe="-_.~")


def pairs(query):
    """The decoded names and values of a query; a plus sign stays a plus sign."""
    found = [piece.partition("=") for piece in query.split("&") if piece]
    return [(unquote(name), unquote(value)) for name, _, value in found]


def signature(keys, method, target, headers, moment, payload):
    """The signature of a request: `headers` are the signed headers, `moment` has the format of X-Amz-Date."""
    path, _, query = target.partition("?")
    kept = sorted((encode(name), encode(value)) for name, value in pairs(query) if name != "X-Amz-Signature")
    lines = sorted((name.lower(), " ".join(value.split())) for name, value in headers.items())
    canonical = "\n".join([
        method,
        quote(unquote(path), safe="/-_.~"),
        "&".join(f"{name}={value}" for name, value in kept),
        *(f"{name}:{value}" for name, value in lines),
        "",
        ";".join(name for name, _ in lines),
        payload,
    ])
    day = moment[:8]
    scope = f"{day}/{keys.region}/s3/aws4_request"
    text = "\n".join([ALGORITHM, moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{keys.secret}".encode()
    for piece in (day, keys.region, "s3", "aws4_request"):
        key = hmac.digest(key, piece.encode(), "sha256")
    return hmac.new(key, text.encode(), "sha256").hexdigest()


def format_moment(seconds):
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))


def presigned(keys, url, seconds, method="GET", now=None):
    """A URL that is valid for a number of seconds from `now` on."""
    parts = urlsplit(url)
    moment = format_moment(time.time() if now is None else now)
    added = [
        ("X-Amz-Algorithm", ALGORITHM),
        ("X-Amz-Credential", f"{keys.id}/{moment[:8]}/{keys.region}/s3/aws4_request"),
        ("X-Amz-Date", moment),
        ("X-Amz-Expires", str(seconds)),
        ("X-Amz-SignedHeaders", "host"),
    ]
    if keys.token:
        added.append(("X-Amz-Security-Token", keys.token))
    query = "&".join(f"{encode(name)}={encode(value)}" for name, value in pairs(parts.query) + added)
    target = f"{parts.path}?{query}"
    sign = signature(keys, method, target, {"host": parts.netloc}, moment, UNSIGNED)
    return f"{parts.scheme}://{parts.netloc}{target}&X-Amz-Signature={sign}"


def signed_headers(keys, url, method="GET", now=None, payload=UNSIGNED):
    """The headers that sign a request."""
    parts = urlsplit(url)
    moment = format_moment(time.time() if now is None else now)
    headers = {"host": parts.netloc, "x-amz-content-sha256": payload, "x-amz-date": moment}
    if keys.token:
        headers["x-amz-security-token"] = keys.token
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    sign = signature(keys, method, target, headers, moment, payload)
    names = ";".join(sorted(headers))
    scope = f"{keys.id}/{moment[:8]}/{keys.region}/s3/aws4_request"
    headers["authorization"] = f"{ALGORITHM} Credential={scope}, SignedHeaders={names}, Signature={sign}"
    return headers
