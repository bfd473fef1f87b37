# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The checks that S3 makes before it looks for the object, and moto does not: signatures, expiry, methods."""

import calendar
import hmac
import http.client
import re
import threading
import time
from xml.sax.saxutils import escape

from servers import front, sigv4

# S3 refuses signatures from a clock that is off by more; in seconds.
LARGEST_SKEW = 900

# The longest life of a presigned URL, in seconds.
LONGEST_LIFE = 604800

MISMATCH = ("The request signature we calculated does not match the signature you provided. Check your key and signing "
            "method.")


class S3Error(Exception):
    """S3's error: a status, a code, a message, and further elements."""

    def __init__(self, status, code, message, **more):
        super().__init__(message)
        elements = {"Code": code, "Message": message, **more, "RequestId": "STAGE0000000001", "HostId": "stage"}
        inner = "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in elements.items())
        self.status = status
        self.body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{inner}</Error>'.encode()


def denied(message="Access Denied", **more):
    return S3Error(403, "AccessDenied", message, **more)


def parse_moment(text):
    try:
        return calendar.timegm(time.strptime(text, "%Y%m%dT%H%M%SZ"))
    except ValueError:
        raise S3Error(400, "AuthorizationQueryParametersError", f"X-Amz-Date is {text}") from None


def iso(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Handler(front.Handler):
    """Passes on the requests that S3 would accept."""

    def pass_on(self, front, drop=()):
        front.is_over_with.wait(front.delay(self.command, self.path))
        if front.busy:
            self.answer(503, b"", Retry_After=str(front.busy))
            return
        try:
            self.asked.expires = self.check(front)
        except S3Error as refusal:
            self.answer(refusal.status, refusal.body, Content_Type="application/xml")
            return
        if front.heeds_if_range and self.headers.get("If-Range") and not self.is_version(front):
            drop = {*drop, "range"}
        super().pass_on(front, drop)

    def is_version(self, front):
        """Whether moto's object has the ETag of If-Range."""
        connection = http.client.HTTPConnection("127.0.0.1", front.behind, timeout=60)
        try:
            # moto compares no signatures, so a signature for GET also works for HEAD.
            passed = {"Authorization": self.headers.get("Authorization", "")}
            connection.request("HEAD", self.path, headers={name: text for name, text in passed.items() if text})
            response = connection.getresponse()
            response.read()
            return response.headers.get("ETag") == self.headers["If-Range"]
        finally:
            connection.close()

    def check(self, front):
        """The time when the request's signature expires, in seconds, or None if it does not expire."""
        query = dict(sigv4.pairs(self.path.partition("?")[2]))
        if "X-Amz-Signature" in query:
            return self.check_presigned(front, query)
        field = self.headers.get("Authorization", "")
        if field.startswith(sigv4.ALGORITHM):
            return self.check_signed(front, field)
        raise denied()

    def check_presigned(self, front, query):
        if self.headers.get("Authorization"):
            # S3 accepts only one kind of authentication in a request.
            raise S3Error(400, "InvalidArgument", "Only one auth mechanism allowed; only the X-Amz-Algorithm query "
                          "parameter, Signature query string parameter or the Authorization header should be specified")
        begins = parse_moment(query.get("X-Amz-Date", ""))
        seconds = query.get("X-Amz-Expires", "")
        if not seconds.isdecimal() or not 1 <= int(seconds) <= LONGEST_LIFE:
            raise S3Error(400, "AuthorizationQueryParametersError",
                          "X-Amz-Expires must be less than a week (in seconds) and not zero")
        expires = begins + int(seconds)
        if front.now() > expires:
            raise denied("Request has expired", **{"X-Amz-Expires": seconds, "Expires": iso(expires),
                                                   "ServerTime": iso(front.now())})
        if begins > front.now() + LARGEST_SKEW:
            raise denied("Request is not yet valid")
        if front.keys is None:
            if self.command != "GET":
                raise S3Error(403, "SignatureDoesNotMatch", MISMATCH)
            return expires
        names = query.get("X-Amz-SignedHeaders", "host").split(";")
        self.compare(front, names, query["X-Amz-Date"], sigv4.UNSIGNED, query["X-Amz-Signature"],
                     query.get("X-Amz-Credential", ""), query.get("X-Amz-Security-Token"))
        return expires

    def check_signed(self, front, field):
        parts = dict(re.findall(r"(Credential|SignedHeaders|Signature)=([^,\s]+)", field))
        moment = self.headers.get("x-amz-date", "")
        if abs(front.now() - parse_moment(moment)) > LARGEST_SKEW:
            raise S3Error(403, "RequestTimeTooSkewed", "The difference between the request time and the current time "
                          "is too large.", RequestTime=moment, ServerTime=iso(front.now()))
        if front.keys is not None:
            self.compare(front, parts.get("SignedHeaders", "").split(";"), moment,
                         self.headers.get("x-amz-content-sha256", ""), parts.get("Signature", ""),
                         parts.get("Credential", ""), self.headers.get("x-amz-security-token"))
        return None

    def compare(self, front, names, moment, payload, claimed, credential, token):
        key, _, scope = credential.partition("/")
        if key != front.keys.id:
            raise S3Error(403, "InvalidAccessKeyId",
                          "The AWS Access Key Id you provided does not exist in our records.")
        if token != front.keys.token:
            raise S3Error(400, "InvalidToken", "The provided token is malformed or otherwise invalid.")
        if scope.split("/")[1:2] != [front.keys.region]:
            raise S3Error(400, "AuthorizationHeaderMalformed", "The region is wrong.", Region=front.keys.region)
        headers = {name: self.headers.get(name, "") for name in names}
        if not hmac.compare_digest(
            sigv4.signature(front.keys, self.command, self.path, headers, moment, payload), claimed
        ):
            raise S3Error(403, "SignatureDoesNotMatch", MISMATCH)

    # S3's clients take the time from `Date`.
    def date_time_string(self, timestamp=None):
        return super().date_time_string(self.server.origin.now() if timestamp is None else timestamp)


class S3Front(front.Front):
    """A running front; without `keys` it compares no signatures, and presigned URLs work only for GET.

    `ahead` is how far its clock is set forward, in seconds (`S3.set_clock` also sets the clock of URL makers). With
    `cuts_at_expiry` a body ends in the middle when its URL expires, although S3 itself continues; set a `rate` that
    makes the body last so long. `delay` returns how many seconds a request of a method and a path waits for its
    answer. With `busy`, the front answers each request with 503 and that many seconds in `Retry-After`. With
    `heeds_if_range`, it answers a request for another version with 200 and the whole object; moto would send the
    range with 206.
    """

    handler = Handler

    def __init__(self, stage, upstream, keys=None, rate=None, certificate=None):
        self.keys = keys
        self.ahead = 0.0
        self.cuts_at_expiry = False
        self.heeds_if_range = False
        self.delay = lambda method, path: 0
        self.busy = None
        self.is_over_with = threading.Event()
        super().__init__(stage, upstream, rate=rate, cut=self.is_over, certificate=certificate)

    def now(self):
        return time.time() + self.ahead

    def stop(self):
        self.is_over_with.set()
        super().stop()

    def is_over(self, asked):
        return self.cuts_at_expiry and asked.expires is not None and self.now() > asked.expires
