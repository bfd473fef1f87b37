# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Password files as Apache and nginx read them."""

import base64
import hashlib


def basic(user, password):
    """A line for Basic authentication; both servers know this form."""
    return f"{user}:{{SHA}}{base64.b64encode(hashlib.sha1(password.encode()).digest()).decode()}\n"


def digest(user, realm, password):
    """A line for Digest authentication with MD5 (RFC 7616 3.4.2: A1)."""
    return f"{user}:{realm}:{hashlib.md5(f'{user}:{realm}:{password}'.encode()).hexdigest()}\n"
