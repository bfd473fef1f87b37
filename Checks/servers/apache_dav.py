# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Apache with mod_dav: one folder at /basic/, /digest/ and /open/.

Its answers (2.4.71):
- `getetag` and ETag are the same: "size-mtime", strong; but weak, W/"size-mtime", until the file is a second
  old. Two requests may see the tag of one version change from weak to strong.
- Ranges, several ranges, If-Range and If-Match as RFC 9110 defines them; 416 has no Content-Range and is chunked.
- An empty file with a Range: 200 and an empty body.
- Hrefs have lower-case hexadecimal digits and a bare ampersand (%c3%a4, &), whatever the request had.
- PROPFIND and GET of a folder without its slash: 301 to an absolute URL. GET of a folder: 404 (there is no listing).
- PROPFIND with Depth infinity: 403. An unknown property: a second propstat with 404.
- No Content-Type and no `getcontenttype` for files, because the configuration sets no types.
- Digest: `algorithm=MD5, qop="auth"`, a `domain`; Authentication-Info with each answer; an old nonce gives 401 with
  `stale=true`.
"""

import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import unquote

from check_results import Skipped
from servers import launch, passwords

USER, PASSWORD = "listener", "open sesame 4711"
REALM = "stage"

MODULES = ("mpm_event authn_core authn_file authz_core authz_user auth_basic auth_digest alias dav dav_fs setenvif "
           "log_forensic dir mime")

CONFIGURATION = """
ServerRoot {folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {folder}/pid-{port}
DefaultRuntimeDir {folder}
Mutex file:{folder} default
ErrorLog {folder}/error.log
LogLevel warn
{modules}
{user}
StartServers 1
ServerLimit 2
ThreadsPerChild 25
MaxRequestWorkers 50
MinSpareThreads 5
MaxSpareThreads 50
KeepAlive On
MaxKeepAliveRequests 0
TypesConfig /dev/null
# The forensic log has every header of every request, under the number that the other has, too.
ForensicLog {folder}/forensic.log
LogFormat "%{{forensic-id}}n\\t%>s\\t%B" asked
CustomLog {folder}/access.log asked
DavLockDB {folder}/locks
DocumentRoot {root}
<Directory />
    Require all granted
</Directory>
Alias /basic {root}
Alias /digest {root}
Alias /open {root}
<Location />
    Dav On
</Location>
<Location /basic>
    AuthType Basic
    AuthName {realm}
    AuthBasicProvider file
    AuthUserFile {folder}/basic
    Require valid-user
</Location>
<Location /digest>
    AuthType Digest
    AuthName {realm}
    AuthDigestProvider file
    AuthUserFile {folder}/digest
    AuthDigestQop auth
    AuthDigestAlgorithm MD5
    AuthDigestDomain /digest/
    AuthDigestNonceLifetime {nonce_seconds}
    Require valid-user
</Location>
{more}
"""


class ApacheDAV:
    """A running Apache over a copy of a folder.

    `base` plus `basic/`, `digest/` or `open/` is a collection; write to `root` to change its files.
    """

    user, password = USER, PASSWORD

    def __init__(self, stage, root, nonce_seconds=300, more=""):
        program = launch.program(stage, "apache2")
        modules = Path("/usr/lib/apache2/modules")
        if not (modules / "mod_dav.so").exists():
            raise Skipped(f"there is no {modules / 'mod_dav.so'}")
        # Apache's children are never root. If this process is root, they run as nobody, which may not enter the
        # stage's folder.
        self.folder = Path(tempfile.mkdtemp(prefix="weir-apache-"))
        stage.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.root = self.folder / "files"
        shutil.copytree(root, self.root)
        (self.folder / "basic").write_text(passwords.basic(USER, PASSWORD))
        (self.folder / "digest").write_text(passwords.digest(USER, REALM, PASSWORD))
        if os.geteuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, 65534, 65534)
        values = dict(
            folder=self.folder, root=self.root, realm=REALM, nonce_seconds=nonce_seconds, more=more,
            user="User #65534\nGroup #65534" if os.geteuid() == 0 else "",
            modules="\n".join(f"LoadModule {name}_module {modules}/mod_{name}.so" for name in MODULES.split()),
        )

        def words(port):
            file = self.folder / "apache.conf"
            file.write_text(CONFIGURATION.format(port=port, **values))
            return [program, "-D", "FOREGROUND", "-f", file]

        self.program, self.port = launch.at_free_port(stage, "apache", words, explain=lambda: self.errors)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}/"

    @property
    def errors(self):
        path = self.folder / "error.log"
        return path.read_text() if path.exists() else ""

    @property
    def requests(self):
        """The requests in order of arrival, with every header; status and size after the request has ended."""
        ended = {}
        for line in self.lines("access.log"):
            number, status, sent = line.split("\t")
            ended[number] = int(status), int(sent)
        found = []
        for line in self.lines("forensic.log"):
            if not line.startswith("+"):
                continue
            number, request, *headers = line[1:].split("|")
            # The log writes characters that could end a field, and the percent sign itself, as %xx.
            method, target, _ = unquote(request).split(" ")
            asked = launch.Asked(method, target, [tuple(unquote(header).split(":", 1)) for header in headers])
            if number in ended:
                asked.status, asked.sent = ended[number]
                asked.is_over = True
            found.append(asked)
        return found

    def lines(self, name):
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []

    def stop(self):
        self.program.stop()
