"""What is read from outside: processor time, memory, time to the first answer, and wrk's counts."""

import json
import os
import pathlib
import resource
import socket
import subprocess
import time

TICK = os.sysconf("SC_CLK_TCK")
HERE = pathlib.Path(__file__).resolve().parent
POLL = 0.0002


def cpu_seconds(pids):
    """User and system time of the processes, all threads together."""
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICK


def busy_seconds():
    """Processor time the whole machine has spent on anything but idling."""
    user, nice, system, _, _, irq, softirq, steal = map(int, pathlib.Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICK


def resident_megabytes(pids):
    """VmRSS, summed: pages that nginx's master and workers share count once for each."""
    kilobytes = 0
    for pid in pids:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                kilobytes += int(line.split()[1])
    return kilobytes / 1024


def settled_megabytes(processes, quiet=5, limit=30):
    """The same once it has not fallen for a while: what nobody needs is given back within seconds."""
    least, since, end = resident_megabytes(processes), time.monotonic(), time.monotonic() + limit
    while time.monotonic() < min(since + quiet, end):
        time.sleep(0.25)
        now = resident_megabytes(processes)
        if now < least - 0.1:
            least, since = now, time.monotonic()
    return least


def milliseconds_to_first_200(server, answers):
    """From before the process is made to a 200, by polling every POLL seconds; the process is then killed."""
    begun = time.perf_counter()
    server.start()
    while not answers(*server.ready):
        if server.process.poll() is not None:
            raise SystemExit(f"{server.name} ended while starting")
        time.sleep(POLL)
    taken = (time.perf_counter() - begun) * 1000
    server.stop(patience=0.2)
    return taken


class IdleConnections:
    """Keep-alive connections that have each made one request and then say nothing."""

    def __init__(self, port, count, request, addresses=8):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        if hard < count + 100:
            raise SystemExit(f"{count} connections need more descriptors than the limit of {hard}; lower --idle")
        self.sockets = []
        for index in range(count):
            # Source addresses of their own, so that closed connections do not use up the ports of 127.0.0.1.
            connection = socket.create_connection(("127.0.0.1", port), 10, (f"127.0.0.{2 + index % addresses}", 0))
            connection.sendall(request)
            if b" 200 " not in connection.recv(4096)[:20]:
                raise SystemExit(f"idle connection {index} was not answered with 200")
            self.sockets.append(connection)

    def close(self):
        for connection in self.sockets:
            connection.close()


def wrk(url, connections, seconds, environment):
    """One run of wrk with post.lua: its counts, its latencies in microseconds."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "10s", "-s", str(HERE / "post.lua"), url]
    output = subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True, text=True).stdout
    result = json.loads(next(line for line in output.splitlines() if line.startswith("RESULT "))[len("RESULT "):])
    if result["errors"] or not result["requests"]:
        raise SystemExit(f"{url}: {result['errors']} failed requests\n{output}")
    return result


def load(server, redis_pid, subject, connections, seconds):
    """One round of wrk: counts, latencies, and what the round cost the server, Redis, wrk itself and strangers."""
    pids = server.processes()

    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (time.perf_counter(), cpu_seconds(pids), cpu_seconds([redis_pid]), usage.ru_utime + usage.ru_stime, busy_seconds())

    before = spent()
    result = wrk(f"http://127.0.0.1:{server.port}/oauth2/introspect", connections, seconds,
                 {"BENCH_BODY": subject.body, "BENCH_AUTHORIZATION": subject.authorization})
    wall, own, redis, loader, busy = (after - earlier for after, earlier in zip(spent(), before))
    requests = result["requests"]
    return {
        "requests/s": requests / (result["microseconds"] / 1e6),
        "p50, ms": result["p50"] / 1000,
        "p99, ms": result["p99"] / 1000,
        "server CPU, µs/request": own * 1e6 / requests,
        "Redis CPU, µs/request": redis * 1e6 / requests,
        "wrk busy, % of a core": 100 * loader / wall,
        "others busy, % of a core": 100 * max(0, busy - own - redis - loader) / wall,
    }
