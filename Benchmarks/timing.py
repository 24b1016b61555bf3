"""Whether the time of a refused sign-in tells why it was refused: wrong password, unknown address, no password, disabled account.
`make bench ARGS=timing` prepares its environment and starts it."""

import argparse
import http.client
import json
import math
import os
import random
import statistics
import subprocess
import time

PASSWORD = "seven lanterns at the gate"
KINDS = ["wrong password", "unknown address", "no password", "disabled account"]


def options():
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=timing…", description="Refused sign-ins of four kinds in random order, and whether their times differ.")
    parser.add_argument("--samples", type=int, default=1000, help="sign-ins of each kind (1000)")
    return parser.parse_args()


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def post(self, path, email, password):
        """Status and milliseconds."""
        begun = time.perf_counter_ns()
        self.connection.request("POST", path, json.dumps({"email": email, "password": password}), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        answer.read()
        return answer.status, (time.perf_counter_ns() - begun) / 1e6


def sql(statement):
    subprocess.run(["psql", "--no-psqlrc", "--quiet", os.environ["DATABASE_URL"], "--command", statement], check=True)


def mann_whitney(first, second):
    """The two-sided probability that two samples of one distribution differ so much, by the normal approximation."""
    ranked = sorted([(value, 0) for value in first] + [(value, 1) for value in second])
    ranks = sum(rank for rank, (_, which) in enumerate(ranked, 1) if which == 0)
    count, other = len(first), len(second)
    deviation = math.sqrt(count * other * (count + other + 1) / 12)
    z = (ranks - count * (count + other + 1) / 2) / deviation
    return math.erfc(abs(z) / math.sqrt(2))


def main():
    chosen = options()
    from measure import table
    import servers

    server = servers.kidoban(1, settings={"KIDOBAN_LOG_LEVEL": "error"}).started()
    try:
        client, stamp = Client(server.port), time.time_ns()
        emails = {kind: f"timing-{index}-{stamp}@example.com" for index, kind in enumerate(KINDS)}
        for kind in KINDS:
            if kind != "unknown address" and client.post("/auth/register", emails[kind], PASSWORD)[0] != 201:
                raise SystemExit("the accounts cannot be made")
        sql(f"UPDATE users SET password_hash = NULL WHERE email = '{emails['no password']}'")
        sql(f"UPDATE users SET disabled_at = now() WHERE email = '{emails['disabled account']}'")
        taken = {kind: [] for kind in KINDS}
        order = KINDS * (chosen.samples + 20)
        random.shuffle(order)
        for number, kind in enumerate(order):
            # A disabled account is refused although the password is right.
            password = PASSWORD if kind == "disabled account" else "not the password"
            status, milliseconds = client.post("/auth/login", emails[kind], password)
            if status != 401:
                raise SystemExit(f"{kind}: {status}")
            if number >= 20 * len(KINDS):
                taken[kind].append(milliseconds)
    finally:
        server.stop()

    middle = statistics.median(taken[KINDS[0]])
    rows = []
    for kind in KINDS:
        values = sorted(taken[kind])
        rows.append((kind, [
            str(len(values)), *(f"{values[int(len(values) * share)]:.3f}" for share in (0.1, 0.5, 0.9)),
            f"{100 * (statistics.median(values) / middle - 1):+.2f} %", f"{mann_whitney(taken[KINDS[0]], values):.3f}"]))
    table("Refused sign-ins, ms; against a wrong password: difference of the medians, Mann-Whitney's p",
          ["samples", "p10", "p50", "p90", "difference", "p"], rows)


if __name__ == "__main__":
    main()
