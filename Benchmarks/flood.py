"""What honest sign-ins notice of one address that signs in to accounts of its own as fast as it can: their times before, during and
after, and who is refused. `make bench ARGS=flood` prepares its environment and starts it."""

import argparse
import collections
import http.client
import json
import multiprocessing
import os
import statistics
import threading
import time

PASSWORD = "seven lanterns at the gate"
ATTACKER = "198.51.100.7"
PHASES = ["before", "during", "after"]


def options():
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=flood…",
        description="Sign-ins one after the other, each from an address of its own, while many threads of one address sign in too.")
    parser.add_argument("--threads", type=int, default=120, help="connections of the one address (120)")
    parser.add_argument("--accounts", type=int, default=12, help="accounts that it has (12)")
    parser.add_argument("--samples", type=int, default=300, help="honest sign-ins of each phase (300)")
    parser.add_argument("--pause", type=int, default=20, help="between two of them, ms (20)")
    parser.add_argument("--hash-threads", type=int, default=0, help="threads that hash (the server's default)")
    parser.add_argument("--limits", action="store_true", help="with budgets, which hold the address back after a while")
    parser.add_argument("--loops", type=int, default=max(1, os.cpu_count() // 2), help="Kidoban's loops (its default)")
    return parser.parse_args()


class Client:
    """One connection, behind a proxy that is trusted."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def post(self, path, email, address):
        """Status and milliseconds."""
        begun = time.perf_counter_ns()
        self.connection.request("POST", path, json.dumps({"email": email, "password": PASSWORD}),
                                {"Content-Type": "application/json", "X-Forwarded-For": address})
        answer = self.connection.getresponse()
        answer.read()
        return answer.status, (time.perf_counter_ns() - begun) / 1e6


def attack(port, emails, threads, ending, results):
    """Signs in without a pause until told to end; how often with which status."""
    counts = collections.Counter()

    def run(number):
        client = Client(port)
        while not ending.is_set():
            try:
                status = client.post("/auth/login", emails[number % len(emails)], ATTACKER)[0]
            except OSError:
                client, status = Client(port), "no answer"
            counts[status] += 1  # one thread at a time holds the interpreter
            if status == 503:
                ending.wait(0.05)  # else the refusals alone would keep the processors of this machine busy

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    results.put(counts)


def honest(port, emails, count, pause, phase):
    """Times of sign-ins that were let in, and how many were not."""
    client, taken, refused = Client(port), [], 0
    for number in range(count):
        # Nobody has come from there before.
        address = f"203.0.{PHASES.index(phase) * 80 + number // 250}.{number % 250 + 1}"
        status, milliseconds = client.post("/auth/login", emails[number % len(emails)], address)
        if status == 200:
            taken.append(milliseconds)
        else:
            refused += 1
        time.sleep(pause / 1000)
    return sorted(taken), refused


def main():
    chosen = options()
    from measure import table
    import servers

    server = servers.kidoban(chosen.loops, settings={
        "KIDOBAN_LOG_LEVEL": "error", "KIDOBAN_TRUSTED_PROXIES": "127.0.0.1", "KIDOBAN_LIMITS": "true" if chosen.limits else "false",
        "KIDOBAN_HASH_THREADS": str(chosen.hash_threads)}).started()
    try:
        client, stamp = Client(server.port), time.time_ns()
        own, others = ([f"flood-{kind}-{number}-{stamp}@example.com" for number in range(count)]
                       for kind, count in (("own", chosen.accounts), ("other", 20)))
        for number, email in enumerate(own + others):
            if client.post("/auth/register", email, f"192.0.2.{number + 1}")[0] != 201:
                raise SystemExit("the accounts cannot be made")
        honest(server.port, others, 20, 0, "before")
        taken = {"before": honest(server.port, others, chosen.samples, chosen.pause, "before")}
        ending, results = multiprocessing.Event(), multiprocessing.Queue()
        attacker = multiprocessing.Process(target=attack, args=(server.port, own, chosen.threads, ending, results))
        attacker.start()
        time.sleep(1)
        begun = time.monotonic()
        taken["during"] = honest(server.port, others, chosen.samples, chosen.pause, "during")
        seconds = time.monotonic() - begun
        ending.set()
        counts = results.get()
        attacker.join()
        taken["after"] = honest(server.port, others, chosen.samples, chosen.pause, "after")
    finally:
        server.stop()

    def percentile(phase, share):
        values = taken[phase][0]
        return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")

    rows = [(phase, [str(len(taken[phase][0])), str(taken[phase][1]), *(f"{percentile(phase, share):.1f}" for share in (0.5, 0.99)),
                     f"{percentile(phase, 0.99) / percentile('before', 0.99):.2f}"]) for phase in PHASES]
    table(f"Honest sign-ins, one at a time, beside {chosen.threads} connections of one address to {chosen.accounts} accounts",
          ["let in", "refused", "p50, ms", "p99, ms", "p99 / quiet p99"], rows)
    listed = ", ".join(f"{status}: {count}" for status, count in sorted(counts.items(), key=str))
    print(f"\nthe one address was answered, in some {seconds + 1:.0f} s: {listed}")
    print(f"mean of the quiet times: {statistics.mean(taken['before'][0]):.1f} ms")


if __name__ == "__main__":
    main()
