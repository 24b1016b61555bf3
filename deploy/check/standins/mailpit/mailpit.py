#!/usr/bin/python3
"""The part of Mailpit that is used here: SMTP on 1025; GET and DELETE /api/v1/messages, GET /api/v1/message/ID and /readyz on 8025."""

import email
import email.policy
import json
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aiosmtpd.controller import Controller

messages = []
lock = threading.Lock()


class Inbox:
    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        text, html = message.get_body(("plain",)), message.get_body(("html",))
        with lock:
            messages.insert(0, {
                "ID": str(time.time_ns()),
                "From": {"Name": "", "Address": envelope.mail_from},
                "To": [{"Name": "", "Address": address} for address in envelope.rcpt_tos],
                "Subject": message["subject"] or "",
                "Text": text.get_content() if text else "",
                "HTML": html.get_content() if html else "",
                "Size": len(envelope.content),
            })
        return "250 OK"


class API(BaseHTTPRequestHandler):
    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        with lock:
            known = list(messages)
        if path == "/readyz":
            return self.answer(200, {})
        if path == "/api/v1/messages":
            listed = [{name: value for name, value in one.items() if name not in ("Text", "HTML")} for one in known]
            return self.answer(200, {"total": len(known), "messages": listed})
        wanted = path.removeprefix("/api/v1/message/")
        found = known[:1] if wanted == "latest" else [one for one in known if one["ID"] == wanted]
        return self.answer(200, found[0]) if found else self.answer(404, {"Error": "not found"})

    def do_DELETE(self):
        with lock:
            messages.clear()
        self.answer(200, {})


Controller(Inbox(), hostname="0.0.0.0", port=1025).start()
server = ThreadingHTTPServer(("0.0.0.0", 8025), API)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
server.serve_forever()
