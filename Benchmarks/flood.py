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
PHASES = ["quiet", "attacked"]


def options():
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=flood…",
        description="Sign-ins one after the other, each from an address of its own, in turns without and with many threads of one address "
        "that sign in too.")
    parser.add_argument("--threads", type=int, default=120, help="connections of the one address (120)")
    parser.add_argument("--accounts", type=int, default=12, help="accounts that it has (12)")
    parser.add_argument("--rounds", type=int, default=8, help="how often both are measured, one after the other (8)")
    parser.add_argument("--samples", type=int, default=100, help="honest sign-ins of each half of a round (100)")
    parser.add_argument("--pause", type=int, default=20, help="between two of them, ms (20)")
    parser.add_argument("--hash-threads", type=int, default=0, help="threads that hash (the server's default)")
    parser.add_argument("--limits", action="store_true", help="with budgets, which hold the address back after a while")
    parser.add_argument("--loops", type=int, default=max(1, os.cpu_count() // 2), help="Kidoban's loops (its default)")
    parser.add_argument("--pin", action="store_true", help="the server on all processors but the last, everything else on that one")
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


def attack(port, emails, threads, attacking, ending, results):
    """Signs in without a pause while told to, until told to end; how often with which status."""
    counts = collections.Counter()

    def run(number):
        client = Client(port)
        while not ending.is_set():
            if not attacking.wait(0.1):
                continue
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


class Honest:
    """Signs in from an address where nobody has been before, each time."""

    def __init__(self, port, emails, pause):
        self.client, self.emails, self.pause, self.count = Client(port), emails, pause, 0

    def sample(self, count):
        """Times of sign-ins that were let in, and how many were not."""
        taken, refused = [], 0
        for _ in range(count):
            self.count += 1
            address = f"203.{self.count // 62500}.{self.count // 250 % 250}.{self.count % 250 + 1}"
            status, milliseconds = self.client.post("/auth/login", self.emails[self.count % len(self.emails)], address)
            if status == 200:
                taken.append(milliseconds)
            else:
                refused += 1
            time.sleep(self.pause / 1000)
        return taken, refused


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def pin(server):
    """False where there is one processor only."""
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        return False
    for process in server.processes():
        for task in os.listdir(f"/proc/{process}/task"):
            os.sched_setaffinity(int(task), processors[:-1])
    os.sched_setaffinity(0, processors[-1:])
    return True


def main():
    chosen = options()
    from measure import table
    import servers

    server = servers.kidoban(chosen.loops, settings={
        "KIDOBAN_LOG_LEVEL": "error", "KIDOBAN_TRUSTED_PROXIES": "127.0.0.1", "KIDOBAN_LIMITS": "true" if chosen.limits else "false",
        "KIDOBAN_HASH_THREADS": str(chosen.hash_threads)}).started()
    taken, refused, rounds = {phase: [] for phase in PHASES}, collections.Counter(), []
    try:
        if chosen.pin and not pin(server):
            raise SystemExit("--pin wants two processors")
        client, stamp = Client(server.port), time.time_ns()
        own, others = ([f"flood-{kind}-{number}-{stamp}@example.com" for number in range(count)]
                       for kind, count in (("own", chosen.accounts), ("other", 20)))
        for number, email in enumerate(own + others):
            if client.post("/auth/register", email, f"192.0.2.{number + 1}")[0] != 201:
                raise SystemExit("the accounts cannot be made")
        user = Honest(server.port, others, chosen.pause)
        user.sample(20)
        attacking, ending, results = multiprocessing.Event(), multiprocessing.Event(), multiprocessing.Queue()
        attacker = multiprocessing.Process(
            target=attack, args=(server.port, own, chosen.threads, attacking, ending, results))
        attacker.start()
        for _ in range(chosen.rounds):
            of_round = []
            for phase in PHASES:
                (attacking.set if phase == "attacked" else attacking.clear)()
                time.sleep(1)  # until the queue is full, or empty
                times, count = user.sample(chosen.samples)
                taken[phase] += times
                refused[phase] += count
                of_round.append(percentile(times, 0.99))
            rounds.append(of_round[1] / of_round[0])
        ending.set()
        counts = results.get()
        attacker.join()
    finally:
        server.stop()

    quiet = percentile(taken["quiet"], 0.99)
    rows = [(phase, [str(len(taken[phase])), str(refused[phase]), *(f"{percentile(taken[phase], share):.1f}" for share in (0.5, 0.99)),
                     f"{percentile(taken[phase], 0.99) / quiet:.2f}"]) for phase in PHASES]
    table(f"Honest sign-ins, one at a time, beside {chosen.threads} connections of one address to {chosen.accounts} accounts, "
          f"{chosen.rounds} rounds", ["let in", "refused", "p50, ms", "p99, ms", "p99 / quiet p99"], rows)
    listed = ", ".join(f"{status}: {count}" for status, count in sorted(counts.items(), key=str))
    print(f"\nof single rounds: {', '.join(f'{ratio:.2f}' for ratio in rounds)}; the median {statistics.median(rounds):.2f}")
    print(f"the one address was answered: {listed}")


if __name__ == "__main__":
    main()
