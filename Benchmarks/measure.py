"""Measures introspection on three servers in one run and prints tables. `make bench` prepares its environment and starts it."""

import argparse
import os
import pathlib
import platform
import statistics
import subprocess
import time

ALL = ["nginx", "nginx-lua", "kidoban"]
TITLES = {"nginx": "nginx, fixed body", "nginx-lua": "nginx + Lua + Redis", "kidoban": "Kidoban"}


def options():
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=…",
        description="Introspection on Kidoban, nginx with a fixed body, and nginx + Lua + Redis, side by side.")
    parser.add_argument("--only", default=",".join(ALL), help="the servers to measure, of " + ",".join(ALL))
    parser.add_argument("--rounds", type=int, default=4, help="rounds, each with every server in turn (4)")
    parser.add_argument("--seconds", type=int, default=5, help="length of a server's turn (5)")
    parser.add_argument("--connections", type=int, default=64, help="wrk's connections (64)")
    parser.add_argument("--idle", type=int, default=5000, help="idle keep-alive connections for the memory table (5000)")
    parser.add_argument("--starts", type=int, default=12, help="starts for the start-up table (12)")
    parser.add_argument("--loops", type=int, default=max(1, os.cpu_count() // 2), help="Kidoban's loops (its default)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="worker processes of each nginx (one a core)")
    chosen = parser.parse_args()
    chosen.only = [name for name in ALL if name in chosen.only.split(",")]
    if not chosen.only:
        parser.error("--only names none of " + ", ".join(ALL))
    return chosen


def spread(values, digits=None):
    """Median (smallest–largest)."""
    middle = statistics.median(values)
    if digits is None:
        digits = 0 if middle >= 1000 else 1 if middle >= 20 else 2
    return f"{middle:,.{digits}f} ({min(values):,.{digits}f}–{max(values):,.{digits}f})"


def table(title, columns, rows):
    width = max(len(name) for name, _ in rows) + 2
    print(f"\n{title}\n")
    print(" " * width + "".join(f"{column:>26}" for column in columns))
    for name, cells in rows:
        print(f"{name:<{width}}" + "".join(f"{cell:>26}" for cell in cells))


def describe(chosen):
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    print(f"{os.cpu_count()} cores ({model}), Linux {platform.release()}, everything on loopback and unpinned")
    for command in (["/usr/sbin/nginx", "-v"], ["redis-server", "--version"], ["wrk", "-v"]):
        done = subprocess.run(command, capture_output=True, text=True)
        print((done.stderr + done.stdout).strip().splitlines()[0].split(" malloc")[0])
    if "kidoban" in chosen.only:
        print(f"kidoban: release build, {pathlib.Path(os.environ['BENCH_BINARY']).stat().st_size / 1e6:.1f} MB")
    print(f"loops of Kidoban: {chosen.loops}; worker processes of each nginx: {chosen.workers}; access logs off")


def start_up(chosen, servers, probes, answers):
    taken = {server.name: [] for server in servers}
    for _ in range(chosen.starts):
        for server in servers:
            taken[server.name].append(probes.milliseconds_to_first_200(server, answers))
    table(f"Start of the process to the first 200, ms: median (min–max) of {chosen.starts}, "
          f"polled every {probes.POLL * 1000} ms\n"
          "(Kidoban's is /health/ready, with a migrated database)",
          [TITLES[server.name] for server in servers], [("first 200", [spread(taken[server.name], 1) for server in servers])])


def memory(chosen, servers, subject, probes):
    rows = {"idle": [], f"{chosen.idle} idle connections": [], "a connection, KB": []}
    for server in servers:
        server.started()
        for _ in range(10):
            subject.introspect(server.port)
        idle = probes.settled_megabytes(server.processes())
        connections = probes.IdleConnections(server.port, chosen.idle, subject.request())
        full = probes.settled_megabytes(server.processes())
        connections.close()
        server.stop()
        for name, value in zip(rows, (idle, full, (full - idle) * 1024 / max(1, chosen.idle))):
            rows[name].append(f"{value:.1f}")
    table("Memory, MB (VmRSS, summed over the processes), after ten requests, once it falls no more",
          [TITLES[server.name] for server in servers], list(rows.items()))


def rounds(chosen, servers, subject, redis_pid, probes):
    results = {server.name: [] for server in servers}
    for server in servers:
        server.started()
        subject.introspect(server.port)
        probes.load(server, redis_pid, subject, chosen.connections, 2)
    for _ in range(chosen.rounds):
        for server in servers:
            results[server.name].append(probes.load(server, redis_pid, subject, chosen.connections, chosen.seconds))
    after = [f"{probes.resident_megabytes(server.processes()):.1f}" for server in servers]
    for server in servers:
        server.stop()
    names = list(results[servers[0].name][0])
    rows = [(name, [spread([one[name] for one in results[server.name]]) for server in servers]) for name in names]
    table(f"Introspection: wrk -t1 -c{chosen.connections}, median (min–max) of {chosen.rounds} interleaved rounds "
          f"of {chosen.seconds} s",
          [TITLES[server.name] for server in servers], [*rows, ("memory afterwards, MB", after)])
    return results


def ratios(results):
    """Kidoban against each reference, round by round, so that a slow moment of the machine counts on both sides."""
    if "kidoban" not in results or len(results) < 2:
        return
    shown = ["requests/s", "p50, ms", "p99, ms", "server CPU, µs/request"]
    references = [name for name in results if name != "kidoban"]
    rows = [(name, [spread([own[name] / other[name] for own, other in zip(results["kidoban"], results[reference])], 2)
                    for reference in references]) for name in shown]
    table("Kidoban divided by, round by round", [TITLES[reference] for reference in references], rows)


def main():
    chosen = options()
    import probes
    import servers

    settings = dict(line.split("=", 1) for line in (servers.DIRECTORY / "servers.env").read_text().splitlines())
    redis_pid = int((servers.DIRECTORY / "redis" / "redis.pid").read_text())
    describe(chosen)
    subject, measured = servers.prepare(chosen.only, chosen.loops, chosen.workers, settings)
    try:
        start_up(chosen, measured, probes, servers.answers)
        memory(chosen, measured, subject, probes)
        ratios(rounds(chosen, measured, subject, redis_pid, probes))
    finally:
        for server in measured:
            if server.process and server.process.poll() is None:
                server.stop()


if __name__ == "__main__":
    main()
