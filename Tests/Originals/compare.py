"""Compares the rest-auth api with an original: the same requests to both, and whether what differs may (differences.py).

    compare.py VARIANT PYTHON USED      runs the original with a Python that has it, beside the server of KIDOBAN_URL; notes used rules
    compare.py --unused USED            fails for rules that no variant has used, and for those that the documentation does not have
    compare.py --environment VARIANT    prints our settings
"""

import contextlib
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

import differences
import scenarios
import variants
from client import Client

HERE = pathlib.Path(__file__).parent
DOCUMENTATION = HERE.parent.parent / "docs/apis/rest-auth.md"
PATIENCE = 60


@contextlib.contextmanager
def original(python, variant):
    """A running one, with a client of it."""
    with tempfile.TemporaryDirectory() as directory, socket.socket() as finder:
        directory = pathlib.Path(directory)
        finder.bind(("127.0.0.1", 0))
        port = finder.getsockname()[1]
        finder.close()
        command = [python, HERE / "original.py", directory, str(port), *variant.arguments]
        with open(directory / "log", "w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=directory)
        try:
            wait(lambda: process.poll() is not None or answers(port))
            assert process.poll() is None, (directory / "log").read_text()
            yield Client(f"http://127.0.0.1:{port}", lambda address, pattern: original_mail(directory, address, pattern))
        finally:
            process.terminate()
            process.wait()


def answers(port):
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def wait(condition):
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.05)
    return found


def original_mail(directory, address, pattern):
    files = sorted((directory / "mails").iterdir(), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    return find((file.read_text() for file in files), address, pattern)


def our_mail(address, pattern):
    """Behind the back of who asked for it."""
    command = [os.environ["KIDOBAN"], "mail", "show"]
    return wait(lambda: find(
        reversed(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n\n")), address, pattern))


def find(mails, address, pattern):
    return next((found.groups() for mail in mails if address in mail and (found := re.search(pattern, mail))), None)


def compare(name, python, used):
    variant = variants.ALL[name]
    with original(python, variant) as theirs:
        ours = Client(os.environ["KIDOBAN_URL"], our_mail)
        for scenario in scenarios.of(variant):
            for client in (theirs, ours):
                client.scenario = scenario.__name__
                scenario(client, variant)
    assert theirs.answers.keys() == ours.answers.keys(), theirs.answers.keys() ^ ours.answers.keys()
    rules, undocumented = set(), 0
    for asked, answer in theirs.answers.items():
        for aspect in answer.comparable | ours.answers[asked].comparable:
            difference = differences.Difference(variant, *asked, answer, ours.answers[asked], aspect)
            if difference.theirs == difference.our:
                continue
            if difference.rule:
                rules.add(difference.rule)
                continue
            undocumented += 1
            print(f"{name}, {asked[0]}: {' '.join(asked[1:])}\n  {aspect}\n    original: {difference.theirs}\n    ours:     {difference.our}")
    with open(used, "a") as file:
        file.writelines(f"{rule}\n" for rule in rules)
    print(f"{name}: {len(theirs.answers)} requests, {undocumented} differences that are not documented")
    return undocumented == 0


def check_rules(used):
    used, documented = pathlib.Path(used).read_text().splitlines(), DOCUMENTATION.read_text()
    names = [name for name, _ in differences.RULES]
    unused = [f"no server differs any more: {name}" for name in names if name not in used]
    missing = [f"not in {DOCUMENTATION.name}: {name}" for name in names if f"\n| {name} |" not in documented]
    print("\n".join(unused + missing) or f"{len(names)} documented differences")
    return not unused + missing


match sys.argv[1:]:
    case ["--unused", used]:
        sys.exit(not check_rules(used))
    case ["--environment", name]:
        print("\n".join(f"{setting}={value}" for setting, value in variants.ALL[name].environment.items()))
    case [name, python, used]:
        sys.exit(not compare(name, python, used))
