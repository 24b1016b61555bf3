#!/usr/bin/env python3
"""Prints the system call filter of a systemd unit as a profile for Docker: seccomp.py UNIT

The sets of calls (`@system-service`) are those of this machine's systemd. Lines are applied in their order, as systemd does.
"""

import json
import re
import subprocess
import sys

listing = subprocess.run(["systemd-analyze", "--no-pager", "syscall-filter"], check=True, capture_output=True, text=True).stdout
sets = {}
for line in listing.splitlines():
    if line.startswith("@"):
        members = sets.setdefault(line.strip(), [])
    elif (name := line.strip()) and not name.startswith("#"):
        members.append(name)


def expand(name):
    return {call for member in sets[name] for call in expand(member)} if name.startswith("@") else {name}


allowed = expand("@default")
with open(sys.argv[1], encoding="utf-8") as unit:
    for line in unit:
        if found := re.match(r"SystemCallFilter=(~?)(.*)", line.strip()):
            calls = {call for name in found[2].split() for call in expand(name)}
            allowed = allowed - calls if found[1] else allowed | calls

json.dump({
    "defaultAction": "SCMP_ACT_ERRNO",
    "defaultErrnoRet": 1,
    "syscalls": [{"names": sorted(allowed), "action": "SCMP_ACT_ALLOW"}],
}, sys.stdout)
