"""The mail server of TestSMTPServer.swift: aiosmtpd, which breaks where it is told to.

    smtp-server.py DIRECTORY PORT [--tls | --starttls] [--certificate FILE KEY] [--login NAME PASSWORD] [--mechanisms PLAIN,LOGIN]

In the directory it keeps

    commands        a line for each line that a client has sent before the content, with `tls` or `plain` in front
    N.mail          a mail that was taken: a line each for `tls` or `plain`, who signed in (or nothing), the sender and each
                    recipient; an empty line; the content
    faults          written by the test: lines of a place, a tab, and what happens there instead

A place is `greeting`, a command, a command with its argument (`RCPT TO:<a@b.example>`), or `content` (the final dot). What happens is a reply,
`hang`, `hold` (until the line is gone), `close`, `flood`, `lose` (content: it is taken, and the connection reset before the reply), or `inject`
(STARTTLS: bytes in plain text behind its reply)."""

import argparse
import asyncio
import os
import ssl

from aiosmtpd.smtp import SMTP, AuthResult

parser = argparse.ArgumentParser()
parser.add_argument("directory")
parser.add_argument("port", type=int)
parser.add_argument("--tls", action="store_true")
parser.add_argument("--starttls", action="store_true")
parser.add_argument("--certificate", nargs=2)
parser.add_argument("--login", nargs=2)
parser.add_argument("--mechanisms", default="PLAIN,LOGIN")
options = parser.parse_args()
os.chdir(options.directory)
taken = len([name for name in os.listdir() if name.endswith(".mail")])


def faults():
    try:
        with open("faults", encoding="utf-8") as file:
            return dict(line.rstrip("\n").split("\t", 1) for line in file)
    except FileNotFoundError:
        return {}


class Server(SMTP):
    greeted = False
    has_replied = False

    def lay(self):
        return "plain" if not options.tls and self.session.ssl is None else "tls"

    async def broken(self, *places):
        """Whether something else has happened here."""
        known = faults()
        fault = next((known[place] for place in places if place in known), None)
        match fault:
            case None:
                return False
            case "hang":
                await asyncio.sleep(3600)
            case "hold":
                while any(faults().get(place) == "hold" for place in places):
                    await asyncio.sleep(0.005)
                return False
            case "lose":
                return False
            case "close":
                self.transport.abort()
                await asyncio.sleep(3600)
            case "flood":
                while True:
                    await super().push("250-" + 400 * "x")
            case "inject":
                return False
            case reply:
                await super().push(reply.replace("\\r\\n", "\r\n"))
        return True

    async def push(self, status):
        if self.has_replied:
            self.has_replied = False
            return
        text = status if isinstance(status, str) else status.decode()
        if not self.greeted:
            self.greeted = True
            if await self.broken("greeting"):
                return
        if text == "250-AUTH ":
            # It names none.
            return
        if text.startswith("220 Ready") and faults().get("STARTTLS") == "inject":
            text += "\r\n250-injected\r\n250 AUTH PLAIN"
        await super().push(text)

    async def challenge_auth(self, *arguments, **options):
        answer = await super().challenge_auth(*arguments, **options)
        self.note("(credentials)")
        return answer

    def note(self, line):
        with open("commands", "a", encoding="utf-8") as file:
            file.write(f"{self.lay()} {line}\n")


def overridden(command):
    original = getattr(SMTP, "smtp_" + command)

    async def run(self, argument):
        line = command if argument is None else f"{command} {argument}"
        self.note(line)
        # Without the parameters of MAIL.
        if not await self.broken(line.split("> ")[0].rstrip(">") + ">" if ">" in line else line, command):
            await original(self, argument)

    for name, value in vars(original).items():
        setattr(run, name, value)
    return run


for command in ("EHLO", "HELO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "NOOP", "RSET", "QUIT"):
    setattr(Server, "smtp_" + command, overridden(command))


class Inbox:
    async def handle_DATA(self, server, session, envelope):
        global taken
        server.note("(content)")
        if await server.broken("content"):
            # aiosmtpd would give one more.
            server.has_replied = True
            return "250 not sent"
        taken += 1
        number = taken
        name = session.auth_data.login.decode() if session.authenticated else ""
        head = [server.lay(), name, envelope.mail_from, *envelope.rcpt_tos, "", ""]
        with open(f"{number}.part", "wb") as file:
            file.write("\n".join(head).encode() + envelope.original_content)
        os.rename(f"{number}.part", f"{number}.mail")
        if faults().get("content") == "lose":
            server.transport.abort()
            await asyncio.sleep(3600)
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    success = [data.login.decode(), data.password.decode()] == options.login
    return AuthResult(success=success, auth_data=data, handled=False)


async def serve():
    context = None
    if options.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*options.certificate)

    def session():
        return Server(
            Inbox(), hostname="mail.example", loop=asyncio.get_running_loop(), timeout=3600,
            tls_context=context if options.starttls else None, authenticator=authenticate,
            auth_require_tls=not options.tls and options.starttls,
            auth_exclude_mechanism={"PLAIN", "LOGIN"} - set(options.mechanisms.split(",")))

    server = await asyncio.get_running_loop().create_server(
        session, "127.0.0.1", options.port, ssl=context if options.tls else None, backlog=256)
    open("ready", "w").close()
    await server.serve_forever()


asyncio.run(serve())
