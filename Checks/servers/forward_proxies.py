# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Proxies as companies use them between programs and the web: tinyproxy, squid, and a SOCKS proxy."""

from urllib.parse import quote

from servers import launch

USER, PASSWORD = "clerk", "proxy-sesame-4711"

TINYPROXY = """Port {port}
Listen 127.0.0.1
Timeout 60
Allow 127.0.0.1
ConnectPort {tls_port}
{credential}
"""

SQUID = """http_port 127.0.0.1:{port}
pid_filename none
access_log none
cache_log /dev/null
cache deny all
coredump_dir {folder}
visible_hostname localhost
shutdown_lifetime 0 seconds
acl tls port {tls_port}
http_access deny CONNECT !tls
{rights}
http_access allow known
http_access deny all
"""

# Squid escapes the credentials that it passes, and drops its privileges before it starts this program.
ASKED = (
    "auth_param basic program /bin/sh -c "
    f"\"while read -r line; do test \\\"$line\\\" = '{USER} {quote(PASSWORD)}' && echo OK || echo ERR; done\""
)


class ForwardProxy:
    """A proxy at its own free port; `scheme` is the scheme of its address."""

    scheme = "http"

    def __init__(self, stage, *, wants_password, tls_port):
        self.user = f"{USER}:{quote(PASSWORD)}@" if wants_password else ""
        self.folder = stage.new_folder(self.name)
        program = launch.program(stage, self.name)
        self.program, self.port = launch.at_free_port(
            stage, self.name, lambda port: [program, *self.words(port, wants_password, tls_port)])

    @property
    def url(self):
        return f"{self.scheme}://{self.user}127.0.0.1:{self.port}"

    def write(self, text):
        file = self.folder / f"{self.name}.conf"
        file.write_text(text)
        return file


class Tinyproxy(ForwardProxy):
    """Tinyproxy; it opens tunnels only to the port of TLS."""

    name = "tinyproxy"

    def words(self, port, wants_password, tls_port):
        credential = f"BasicAuth {USER} {PASSWORD}" if wants_password else ""
        return ["-d", "-c", self.write(TINYPROXY.format(port=port, tls_port=tls_port, credential=credential))]


class Squid(ForwardProxy):
    """Squid; it opens tunnels only to the port of TLS."""

    name = "squid"

    def words(self, port, wants_password, tls_port):
        rights = f"{ASKED}\nacl known proxy_auth REQUIRED" if wants_password else "acl known src 127.0.0.1"
        text = SQUID.format(port=port, folder=self.folder, tls_port=tls_port, rights=rights)
        return ["-N", "-f", self.write(text)]


class Microsocks(ForwardProxy):
    """Microsocks, which speaks SOCKS 5."""

    name, scheme = "microsocks", "socks5"

    def words(self, port, wants_password, tls_port):
        return ["-i", "127.0.0.1", "-p", str(port)]
