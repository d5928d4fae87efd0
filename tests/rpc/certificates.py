"""Certificates for localhost that openssl makes: one that is good for two days, or one that has expired."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"
KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost"]
AUTHORITY = f"""
[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
default_md = sha256
policy = names
rand_serial = yes
x509_extensions = more
[names]
commonName = supplied
[more]
{NAMES.replace("=", " = ", 1)}
"""


def certificate(folder: Path, *, expired: bool = False) -> tuple[Path, Path]:
    """Return the files of a certificate that has signed itself, and of its key."""
    folder.mkdir(parents=True, exist_ok=True)
    cert, key = folder / "cert.pem", folder / "key.pem"
    if not expired:
        _openssl(folder, "req", "-x509", *KEY, "-days", "2", "-keyout", str(key), "-out", str(cert), "-addext", NAMES)
        return cert, key
    (folder / "ca.cnf").write_text(AUTHORITY)
    (folder / "index.txt").write_text("")
    _openssl(folder, "req", "-new", *KEY, "-keyout", str(key), "-out", "asked.pem")
    days = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]
    signed = ["-selfsign", "-batch", "-notext", "-config", "ca.cnf", "-keyfile", str(key), "-in", "asked.pem", "-out", str(cert)]
    _openssl(folder, "ca", *signed, *days)
    return cert, key


def _openssl(folder: Path, *words: str) -> None:
    try:
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
