"""What thousands of clients can have a server hold in memory, what honest clients notice of it, and when the memory is given back.
`make bench ARGS=readers` prepares its environment and starts it."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def options():
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=readers…",
        description="Memory and introspection while other clients leave large answers unread, and bodies without their last byte.")
    parser.add_argument("--hoarders", type=int, default=10000, help="connections of each attack (10000)")
    parser.add_argument("--addresses", type=int, default=20, help="addresses that they come from (20)")
    parser.add_argument("--idle", default="5000,10000", help="numbers of idle connections to measure (5000,10000)")
    parser.add_argument("--kinds", default="readers,bodies", help="the attacks, of readers,bodies")
    parser.add_argument("--seconds", type=int, default=8, help="length of a measurement (8)")
    parser.add_argument("--connections", type=int, default=64, help="wrk's connections (64)")
    parser.add_argument("--pause", type=int, default=64, help="mean pause of a connection, ms (64)")
    parser.add_argument("--loops", type=int, default=max(1, os.cpu_count() // 2), help="Kidoban's loops (its default)")
    return parser.parse_args()


class Bench:
    def __init__(self, chosen, server, subject, probes):
        self.chosen, self.server, self.subject, self.probes = chosen, server, subject, probes

    def megabytes(self):
        return self.probes.resident_megabytes(self.server.processes())

    def honest(self):
        url = f"http://127.0.0.1:{self.server.port}/oauth2/introspect"
        result = self.probes.wrk(url, self.chosen.connections, self.chosen.seconds, {
            "BENCH_BODY": self.subject.body, "BENCH_AUTHORIZATION": self.subject.authorization,
            "BENCH_PAUSE": str(self.chosen.pause)})
        return result["p50"] / 1000, result["p99"] / 1000

    def settled(self, seconds=6):
        time.sleep(seconds)
        return self.megabytes()

    def idle(self, count):
        before = self.settled()
        connections = self.probes.IdleConnections(self.server.port, count, self.subject.request(), addresses=16)
        during = self.settled()
        connections.close()
        print(f"{count} idle connections: {before:.1f} MB before, {during:.1f} MB, "
              f"{(during - before) * 1024 / count:.2f} KiB each, {self.settled():.1f} MB after", flush=True)

    def attack(self, kind):
        before, quiet = self.settled(), self.honest()
        process = subprocess.Popen(
            [sys.executable, str(HERE / "hoarders.py"), str(self.server.port), str(self.chosen.hoarders), kind,
             str(self.chosen.addresses)], stdout=subprocess.PIPE, text=True)
        most = before
        while True:
            most = max(most, self.megabytes())
            import select
            if select.select([process.stdout], [], [], 0.1)[0]:
                break
        if process.stdout.readline() != "READY\n":
            raise SystemExit("the clients could not connect")
        time.sleep(3)
        during = self.honest()
        most = max(most, self.megabytes())
        process.terminate()
        report = json.loads(process.stdout.readline())
        process.wait()
        print(f"{self.chosen.hoarders} {kind} of {self.chosen.addresses} addresses: {before:.1f} MB before, {most:.1f} MB at most, "
              f"{self.settled():.1f} MB 6 s after; honest p50 {quiet[0]:.2f} → {during[0]:.2f} ms, "
              f"p99 {quiet[1]:.2f} → {during[1]:.2f} ms; {json.dumps(report)}", flush=True)


def main():
    chosen = options()
    import probes
    import servers

    subject = servers.Subject(True, chosen.loops)
    server = servers.kidoban(
        chosen.loops, settings={"KIDOBAN_MAX_CONNECTIONS": str(max(20000, 2 * chosen.hoarders)), "KIDOBAN_WRITE_TIMEOUT": "1m"}).started()
    try:
        bench = Bench(chosen, server, subject, probes)
        bench.honest()
        for count in filter(None, chosen.idle.split(",")):
            bench.idle(int(count))
        for kind in filter(None, chosen.kinds.split(",")):
            bench.attack(kind)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
