"""What honest clients notice of thousands of connections that are held and hardly used: introspection before, during and after.
`make bench ARGS=slowloris` prepares its environment and starts it."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PHASES = ["before", "during", "after"]


def options():
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=slowloris…",
        description="Introspection while other clients send heads and bodies byte by byte, read answers so, or say nothing at all.")
    parser.add_argument("--slow", type=int, default=2000, help="slow connections, a quarter of each kind (2000)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each before, during and after (5)")
    parser.add_argument("--seconds", type=int, default=8, help="length of a measurement (8)")
    parser.add_argument("--connections", type=int, default=64, help="wrk's connections (64)")
    parser.add_argument("--pause", type=int, default=64, help="mean pause of a connection in the paced measurement, ms (64)")
    parser.add_argument("--loops", type=int, default=max(1, os.cpu_count() // 2), help="Kidoban's loops (its default)")
    return parser.parse_args()


def metric(port, name):
    from urllib.request import urlopen
    lines = urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10).read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith((name + " ", name + "{")))


class Attack:
    """The slow clients, as a process of their own."""

    def __init__(self, port, count):
        self.process = subprocess.Popen([sys.executable, str(HERE / "slow_clients.py"), str(port), str(count)],
                                        stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "READY\n":
            raise SystemExit("the slow clients could not connect")
        self.begun = time.perf_counter()

    def end(self):
        self.process.terminate()
        report = json.loads(self.process.stdout.readline())
        self.process.wait()
        report["cpu, % of a core"] = 100 * report.pop("cpu") / (time.perf_counter() - self.begun)
        return report


def measure(chosen, server, subject, probes):
    """Both kinds of honest traffic, one after the other."""
    url = f"http://127.0.0.1:{server.port}/oauth2/introspect"
    environment = {"BENCH_BODY": subject.body, "BENCH_AUTHORIZATION": subject.authorization}
    own, busy, begun = probes.cpu_seconds(server.processes()), probes.busy_seconds(), time.perf_counter()
    full = probes.wrk(url, chosen.connections, chosen.seconds, environment)
    paced = probes.wrk(url, chosen.connections, chosen.seconds, {**environment, "BENCH_PAUSE": str(chosen.pause)})
    wall = time.perf_counter() - begun
    return {
        "full: requests/s": full["requests"] / (full["microseconds"] / 1e6),
        "full: p50, ms": full["p50"] / 1000,
        "full: p99, ms": full["p99"] / 1000,
        "paced: requests/s": paced["requests"] / (paced["microseconds"] / 1e6),
        "paced: p50, ms": paced["p50"] / 1000,
        "paced: p99, ms": paced["p99"] / 1000,
        "Kidoban busy, % of a core": 100 * (probes.cpu_seconds(server.processes()) - own) / wall,
        "machine busy, % of a core": 100 * (probes.busy_seconds() - busy) / wall,
        "Kidoban's memory, MB": probes.resident_megabytes(server.processes()),
        "connections open": metric(server.ready[0], "kidoban_connections"),
    }


def round_of(chosen, server, subject, probes, quiet):
    results = {"before": measure(chosen, server, subject, probes)}
    attack = Attack(server.port, chosen.slow)
    time.sleep(2)
    results["during"] = measure(chosen, server, subject, probes)
    report = attack.end()
    deadline = time.monotonic() + 90
    while metric(server.ready[0], "kidoban_connections") > quiet + 10:
        if time.monotonic() > deadline:
            raise SystemExit("the connections of the slow clients are not closed 90 s after they have gone")
        time.sleep(0.2)
    time.sleep(1)
    results["after"] = measure(chosen, server, subject, probes)
    return results, report


def main():
    chosen = options()
    from measure import spread, table
    import probes
    import servers

    subject = servers.Subject(True, chosen.loops)
    server = servers.kidoban(chosen.loops).started()
    try:
        probes.wrk(f"http://127.0.0.1:{server.port}/oauth2/introspect", chosen.connections, 2,
                   {"BENCH_BODY": subject.body, "BENCH_AUTHORIZATION": subject.authorization})
        quiet = metric(server.ready[0], "kidoban_connections")
        rounds = []
        for number in range(chosen.rounds):
            results, report = round_of(chosen, server, subject, probes, quiet)
            rounds.append(results)
            print(f"round {number + 1}: {json.dumps(report)}", flush=True)
    finally:
        server.stop()

    names = list(rounds[0]["before"])
    table(f"{chosen.slow} slow connections, introspection by wrk -t1 -c{chosen.connections}: median (min–max) of {chosen.rounds} rounds",
          PHASES, [(name, [spread([one[phase][name] for one in rounds]) for phase in PHASES]) for name in names])
    ratios = [(name, [spread([one["during"][name] / statistics.mean((one["before"][name], one["after"][name])) for one in rounds], 2)])
              for name in names if name.endswith(("ms", "/s"))]
    table("during, divided by the mean of before and after, round by round", ["ratio"], ratios)


if __name__ == "__main__":
    main()
