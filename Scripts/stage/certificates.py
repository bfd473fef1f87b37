# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Our own certificate authority, and a certificate for 127.0.0.1 and the given hosts."""

import subprocess
from collections import namedtuple

Certificate = namedtuple("Certificate", "authority chain key")


def make(stage, hosts=()):
    folder = stage.new_folder("certificates")

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Stage authority")
    openssl("req", *curve, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    names = ",".join(["IP:127.0.0.1", "DNS:localhost", *(f"DNS:{host}" for host in hosts)])
    (folder / "names").write_text(f"subjectAltName={names}\nbasicConstraints=CA:FALSE\n")
    openssl(
        *("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"),
        *("-out", "server.pem", "-days", "2", "-extfile", "names"),
    )
    return Certificate(folder / "ca.pem", folder / "server.pem", folder / "server.key")
