"""A server with a certificate of its own in front of one without."""

import socket
import ssl
import subprocess
import threading
from urllib.parse import urlsplit


def forward(directory, url):
    """The https URL at which the same is answered, until the process ends."""
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))
    target = urlsplit(url)
    threading.Thread(target=_serve, args=(listener, context, (target.hostname, target.port)), daemon=True).start()
    return f"https://127.0.0.1:{listener.getsockname()[1]}"


def _serve(listener, context, target):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_connect, args=(connection, context, target), daemon=True).start()


def _connect(connection, context, target):
    try:
        inside = context.wrap_socket(connection, server_side=True)
        outside = socket.create_connection(target, timeout=60)
    except OSError:
        return connection.close()
    # Each way a thread; the end of one is the end of both.
    threading.Thread(target=_copy, args=(outside, inside), daemon=True).start()
    _copy(inside, outside)


def _copy(source, target):
    try:
        while chunk := source.recv(65536):
            target.sendall(chunk)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
