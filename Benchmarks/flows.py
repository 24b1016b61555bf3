"""What each flow costs: processor time of Kidoban, of Redis and of PostgreSQL for one request, beside FastAPI, Express,
nginx + Lua and django-oauth-toolkit. `make bench ARGS=flows` prepares its environment and starts it."""

import argparse
import base64
import ctypes
import http.client
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import time

PASSWORD = "seven lanterns at the gate"
PEERS = {
    "kidoban": "Kidoban", "fastapi": "FastAPI", "express": "Express", "nginx-lua": "nginx + Lua", "oauth-toolkit": "django-oauth-toolkit"}
FLOWS = ["sign-up", "sign-in", "refresh", "sign-out", "introspection", "client credentials", "code flow"]
# What OWASP asks for: memory in KiB, iterations.
ARGON2 = (19456, 2)


def options():
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=flows…",
        description="Processor time for one request of each flow, by process, beyond what they take when nobody asks. In Kidoban a function "
        "that takes no time stands in for argon2, so that sign-ins come as fast as everything else and cost what they cost under load.")
    parser.add_argument("--only", default=",".join(PEERS), help="the servers to measure, of " + ",".join(PEERS))
    parser.add_argument("--flows", default=",".join(FLOWS), help="the flows to measure, of " + ",".join(FLOWS))
    parser.add_argument("--requests", type=int, default=2000, help="requests of a flow (2000)")
    parser.add_argument("--connections", type=int, default=32, help="connections of the load, one request on each (32)")
    parser.add_argument("--rounds", type=int, default=2, help="rounds, each with every server in turn; the cheapest counts (2)")
    parser.add_argument("--no-limits", action="store_true", help="without budgets, as no installation should be")
    parser.add_argument("--hash", action="store_true", help="the cheapest argon2 between: sign-ins at its rate, without its threads' time")
    parser.add_argument("--no-hash-rate", action="store_true", help="without the third table: how much of the hashes' rate reaches sign-ins")
    parser.add_argument("--no-growth", action="store_true", help="without the second table: many live tokens, many sessions")
    parser.add_argument("--crowd", type=int, default=0, help="every flow once more with so many further users and sessions, a million say (0)")
    parser.add_argument("--binaries", nargs="*", default=[], help="further builds of Kidoban, which are measured in the same run")
    parser.add_argument("--commands", action="store_true", help="Redis's own account of its commands too")
    parser.add_argument("--loops", type=int, default=max(1, os.cpu_count() // 2), help="Kidoban's loops (its default)")
    return parser.parse_args()


class Meter:
    """Processor time in nanoseconds of a server, without threads of some names, of Redis, and of all of PostgreSQL."""

    def __init__(self, server, directory):
        self.server, self.directory = server, directory
        self.redis = int((directory / "redis" / "redis.pid").read_text())
        self.postgres = int((directory / "postgres" / "cluster" / "postmaster.pid").read_text().splitlines()[0])

    @staticmethod
    def threads(pid):
        """Nanoseconds of each thread, by its name; nothing of what has ended meanwhile."""
        for task in pathlib.Path("/proc").glob(f"{pid}/task/*"):
            try:
                yield (task / "comm").read_text().strip(), int((task / "schedstat").read_text().split()[0])
            except (FileNotFoundError, ProcessLookupError):
                continue

    def tree(self, pid):
        """Of a process and its children, with those that it has waited for."""
        ticks = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        waited = (int(ticks[13]) + int(ticks[14])) * 10**9 // os.sysconf("SC_CLK_TCK")
        return waited + sum(spent for one in [pid, *children] for _, spent in self.threads(one))

    def read(self):
        own = sum(spent for pid in self.server.processes() for name, spent in self.threads(pid) if name != "kidoban.hash")
        return own, sum(spent for _, spent in self.threads(self.redis)), self.tree(self.postgres)


class Account:
    def __init__(self, email, number):
        self.email, self.address = email, f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        self.access = self.refresh = None

    def again(self):
        """The same user on another device."""
        other = Account(self.email, 0)
        other.address = self.address
        return other

    def take(self, body):
        tokens = json.loads(body)
        self.access = tokens.get("accessToken", self.access)
        self.refresh = tokens.get("refreshToken", self.refresh)


class Target:
    """A server under measurement, and the requests of each flow to it."""

    def __init__(self, name, server, authorization, service, load):
        self.name, self.server, self.load = name, server, load
        self.authorization, self.service = authorization, service
        self.numbers = itertools.count(1)
        self.measured = {}
        self.condition = ""
        self.quiet = (0, 0, 0)

    def accounts(self, count):
        return [Account(f"{self.name}-{time.time_ns()}-{number}@example.com", number)
                for number in itertools.islice(self.numbers, count)]

    def post(self, path, account, fields, **headers):
        return self.load.request(path, fields, headers={"X-Forwarded-For": account.address, "User-Agent": "flows/1.0", **headers})

    def sign_up(self, account):
        return self.post("/auth/register", account, {"email": account.email, "password": PASSWORD})

    def sign_in(self, account):
        return self.post("/auth/login", account, {"email": account.email, "password": PASSWORD, "rotate": True})

    def refresh(self, account):
        return self.post("/auth/refresh", account, {"refreshToken": account.refresh, "rotate": True})

    def sign_out(self, account):
        return self.post("/auth/logout", account, {"refreshToken": account.refresh})

    def introspect(self, account):
        return self.load.request("/oauth2/introspect", f"token={account.access}", "application/x-www-form-urlencoded",
                                 {"Authorization": self.authorization})

    def client_credentials(self, account):
        return self.load.request("/oauth2/token", "grant_type=client_credentials", "application/x-www-form-urlencoded",
                                 {"Authorization": self.service, "X-Forwarded-For": account.address})

    def drive(self, subjects, ask, times=1, connections=32):
        return self.load.drive(self.server.port, subjects, ask, Account.take if ask in (
            self.sign_up, self.sign_in, self.refresh) else lambda subject, body: None, times, connections)

    def measure(self, flow, meter, subjects, ask, times=1, connections=32):
        """Microseconds of a request, of the server, Redis and PostgreSQL; what is written behind the back of the requests too, and without what
        they take when nobody asks."""
        before = meter.read()
        begun = time.perf_counter()
        count = self.drive(subjects, ask, times, connections)
        wall = time.perf_counter() - begun
        time.sleep(0.8)  # audit events are written twice a second
        spent = tuple(max(0, after - earlier - idle * (wall + 0.8) * 1000) / 1000 / count
                      for after, earlier, idle in zip(meter.read(), before, self.quiet))
        name = flow + self.condition
        best = self.measured.get(name)
        if best is None or sum(spent) < sum(best[:3]):
            self.measured[name] = (*spent, count / wall)


def quiet_cost(meter, seconds=2):
    """Microseconds a second that nobody has caused."""
    before = meter.read()
    time.sleep(seconds)
    return [round((after - earlier) / seconds / 1000) for after, earlier in zip(meter.read(), before)]


def round_of(target, meter, chosen):
    """Each flow once. The accounts of the sign-up go through all of them."""
    count, connections = chosen.requests, chosen.connections
    def run(flow, *arguments):
        if flow in chosen.flows:
            target.measure(flow, meter, *arguments)
        else:
            target.drive(*arguments)
    if target.name == "nginx-lua":
        account = Account("", 1)
        account.access = "bench"
        run("introspection", [account] * count, target.introspect, 1, connections)
        accounts = target.accounts(count)
        target.drive(accounts, target.sign_up, 1, connections)
        return run("refresh", accounts, target.refresh, 2, connections)
    accounts = target.accounts(count)
    run("sign-up", accounts, target.sign_up, 1, connections)
    run("sign-in", accounts, target.sign_in, 1, connections)
    run("refresh", accounts, target.refresh, 2, connections)
    run("introspection", accounts, target.introspect, 4, connections)
    if target.service and "client credentials" in chosen.flows:
        run("client credentials", accounts, target.client_credentials, 1, connections)
    run("sign-out", accounts, target.sign_out, 1, connections)


def growth_of(target, meter, chosen):
    """The same with few and many: access tokens that live, in a session; sessions of a user."""
    connections, count = chosen.connections, max(1, chosen.requests // chosen.connections // 2)
    few = target.accounts(connections)
    target.drive(few, target.sign_up, 1, connections)
    target.drive(few, target.sign_in, 1, connections)
    target.measure("refresh, 1 to 4 live tokens", meter, few, target.refresh, 3, connections)
    target.drive(few, target.refresh, 196, connections)
    target.measure("refresh, 200 live tokens", meter, few, target.refresh, min(50, count), connections)
    users = target.accounts(8)
    target.drive(users, target.sign_up, 1, connections)
    many = target.accounts(chosen.requests // 4)
    target.drive(many, target.sign_up, 1, connections)
    target.measure("sign-in, 2 sessions", meter, many, target.sign_in, 1, 8)
    devices = [user.again() for _ in range(100 + chosen.requests // 32) for user in users]
    target.drive(devices[:800], target.sign_in, 1, 8)
    target.measure("sign-in, 100 sessions", meter, devices[800:], target.sign_in, 1, 8)
    target.measure("sign-out, 2 sessions", meter, many, target.sign_out, 1, 8)
    # Fewer would be lost in what Redis does by itself.
    target.measure("sign-out, 100 sessions", meter, devices[800:], target.sign_out, 1, 8)


def crowd_of(targets, settings, chosen):
    """Each flow with few users and sessions and with a crowd of them, in the same stores."""
    import crowd

    first = targets[0].accounts(1)
    targets[0].drive(first, targets[0].sign_up, 1, 1)
    sid = base64.urlsafe_b64decode(first[0].refresh.removeprefix("kdr_").split(".")[0] + "==")
    before, begun = crowd.used_memory(settings), time.perf_counter()
    crowd.add_users(settings, first[0].email, 1, chosen.crowd)
    keys = crowd.add_sessions(settings, sid, 1, chosen.crowd)
    print(f"{chosen.crowd} users and sessions in {time.perf_counter() - begun:.0f} s: {keys} keys in Redis, "
          f"{(crowd.used_memory(settings) - before) / chosen.crowd:.0f} bytes for a session, its access token and its place in the index", flush=True)
    time.sleep(5)  # PostgreSQL and Redis write it down
    for target in targets:
        target.condition = f", {chosen.crowd} users and sessions"
        target.quiet = quiet_cost(target.meter)
    for _ in range(chosen.rounds):
        for target in targets:
            round_of(target, target.meter, chosen)


def commands(settings):
    """Redis's account: calls of each command and their microseconds."""
    text = subprocess.run(["redis-cli", "-p", settings["REDIS_PORT"], "INFO", "commandstats"], check=True, capture_output=True,
                          text=True, env={**os.environ, "REDISCLI_AUTH": settings["REDIS_PASSWORD"]}).stdout
    return {name: (int(calls), int(spent)) for name, calls, spent in re.findall(r"^cmdstat_(\S+):calls=(\d+),usec=(\d+)", text, re.M)}


def no_hash(directory):
    """A library in which argon2id takes no time."""
    library = directory / "no_hash.so"
    subprocess.run([shutil.which("cc") or "clang", "-O2", "-shared", "-fPIC", "-o", library, pathlib.Path(__file__).with_name("no_hash.c")], check=True)
    return {"LD_PRELOAD": str(library)}


def kidoban(servers, name, loops, limits, binary, hashes):
    server = servers.kidoban(loops, name, {
        **({} if hashes else no_hash(servers.DIRECTORY)),
        # As cheap as can be. What the threads spend that hash is left out; what it takes to ask them is in.
        "KIDOBAN_ARGON2_MEMORY": "7168", "KIDOBAN_ARGON2_ITERATIONS": "1", "KIDOBAN_HASH_THREADS": "1",
        "KIDOBAN_SESSIONS_PER_USER": "1000", "KIDOBAN_TRUSTED_PROXIES": "127.0.0.1", "KIDOBAN_LOG_LEVEL": "warning",
        "KIDOBAN_LIMITS": "true" if limits else "false", "KIDOBAN_LIMIT_REFRESH_SESSION": "50000/1m",
        # The eight users of the growth table have hundreds of sessions from one address.
        **{f"KIDOBAN_LIMIT_{name}": "100000/10m" for name in ("SIGN_IN_ADDRESS", "HASH_ADDRESS", "SIGN_IN_ACCOUNT_ADDRESS")},
        "KIDOBAN_LIMIT_SIGN_IN_ACCOUNT": "200000/10m",
    })
    server.command[0] = binary
    return server


def peers(chosen, servers, settings, authorization):
    """Every peer that can be started here."""
    found = {}
    values = {"BENCH_AUTHORIZATION": authorization, "PORT": "0"}
    python = os.environ.get("BENCH_PYTHON")
    if "fastapi" in chosen.only and python:
        port = servers.free_port()
        found["fastapi"] = servers.Server(
            "fastapi", [python, "-m", "uvicorn", "--app-dir", str(servers.HERE / "peers"), "--port", str(port), "--no-access-log",
                        "--log-level", "warning", "fastapi_server:app"], port, (port, "/health"), values)
    node, modules = shutil.which("node"), os.environ.get("BENCH_NODE_PATH")
    if "express" in chosen.only and node and modules:
        port = servers.free_port()
        found["express"] = servers.Server("express", [node, str(servers.HERE / "peers" / "express_server.js")], port,
                                          (port, "/health"), {**values, "PORT": str(port), "NODE_PATH": modules})
    if "nginx-lua" in chosen.only:
        found["nginx-lua"] = servers.nginx("nginx-lua", "lua-redis.conf", {
            "WORKERS": 1, "ANSWER": servers.SAMPLE_ANSWER, "AUTHORIZATION": authorization, **settings})
    return found


def code_flow(chosen, targets, servers, table):
    """The flow of the authorization code on Kidoban as it was started, and on django-oauth-toolkit where that can be had."""
    import code_flow as flow

    count = max(8, chosen.requests // 8)
    client = dict(re.findall(r"^(client_\w+)=(.*)$", os.environ["BENCH_RELYING_PARTY"], re.M))
    providers = []
    for target in targets:
        if target.service is None:
            continue
        accounts = target.accounts(count * chosen.rounds)
        target.drive(accounts, target.sign_up, 1, chosen.connections)
        provider = flow.Provider(target.name, target.server, client["client_id"], client["client_secret"],
                                 ("/oauth2/authorize", "/oauth2/token", "/oauth2/userinfo"))
        providers.append((provider, target.meter, [account.email for account in accounts]))
    python = os.environ.get("BENCH_PYTHON")
    peer = None
    if python and "oauth-toolkit" in chosen.only:
        directory = servers.DIRECTORY / "oauth-toolkit"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        subprocess.run(["openssl", "genrsa", "-traditional", "-out", directory / "key.pem", "2048"], check=True, capture_output=True)
        subprocess.run([python, servers.HERE / "peers" / "oauth_toolkit.py", "prepare", str(count * chosen.rounds)], check=True)
        port = servers.free_port()
        peer = servers.Server(
            "oauth-toolkit", [python, "-m", "gunicorn", "--chdir", str(servers.HERE / "peers"), "--bind", f"127.0.0.1:{port}", "--workers", "1",
                              "--log-level", "warning", "oauth_toolkit:application"],
            port, (port, "/health")).started()
        provider = flow.Provider("django-oauth-toolkit", peer, "bench", "bench", ("/o/authorize/", "/o/token/", "/o/userinfo/"))
        names = [f"user-{number}@example.com" for number in range(count * chosen.rounds)]
        providers.append((provider, Meter(peer, servers.DIRECTORY), names))
    try:
        for number in range(chosen.rounds):
            for provider, meter, names in providers:
                flow.measure(provider, meter, names[number * count:(number + 1) * count], 8)
    finally:
        if peer:
            peer.stop()
    flow.report([provider for provider, _, _ in providers], table, chosen.rounds, count)


def main():
    chosen = options()
    from measure import table
    import hashlib
    import load
    import servers

    settings = dict(line.split("=", 1) for line in (servers.DIRECTORY / "servers.env").read_text().splitlines())
    authorization = servers.basic(os.environ["BENCH_CLIENT_ID"], os.environ["BENCH_CLIENT_SECRET"])
    service = servers.basic(os.environ["BENCH_SERVICE_ID"], os.environ["BENCH_SERVICE_SECRET"])
    binaries = {"kidoban": os.environ["BENCH_BINARY"]} if "kidoban" in chosen.only else {}
    binaries |= {pathlib.Path(path).name: path for path in chosen.binaries}
    targets = [Target(name, kidoban(servers, name, chosen.loops, not chosen.no_limits, binary, chosen.hash), authorization, service, load)
               for name, binary in binaries.items()]
    targets += [Target(name, server, authorization, None, load)
                for name, server in peers(chosen, servers, settings, authorization).items()]
    servers.redis(settings, "SET", b"bench:" + hashlib.sha256(b"bench").digest(), servers.SAMPLE_ANSWER, "EX", 3600)
    try:
        for target in targets:
            target.server.started()
            meter = target.meter = Meter(target.server, servers.DIRECTORY)
            time.sleep(1)  # what they do at their start
            target.quiet = quiet_cost(meter)
            print(f"{target.name}: {target.quiet} µs a second of the server, Redis and PostgreSQL when nobody asks", flush=True)
        before = commands(settings)
        for number in range(chosen.rounds):
            for target in targets:
                round_of(target, target.meter, chosen)
        for target in targets:
            if target.service and not chosen.no_growth:
                growth_of(target, target.meter, chosen)
        if "code flow" in chosen.flows and any(target.service for target in targets):
            code_flow(chosen, targets, servers, table)
        after = commands(settings)
        if chosen.crowd:
            crowd_of([target for target in targets if target.service], settings, chosen)
    finally:
        for target in targets:
            if target.server.process:
                target.server.stop()
    report(chosen, targets, table)
    if binaries and not chosen.no_hash_rate:
        report_hash_rate(hash_rate(servers, load, chosen, next(iter(binaries.values())), authorization), table)
    if chosen.commands:
        rows = sorted(((after[name][1] - before.get(name, (0, 0))[1], after[name][0] - before.get(name, (0, 0))[0], name)
                       for name in after), reverse=True)
        for spent, calls, name in rows[:25]:
            print(f"{name:<20}{calls:>10} calls{spent / max(1, calls):>10.2f} µs each")


def raw_hash_rate(seconds):
    """Hashes of one thread in a second, with nothing else to do."""
    argon2, (memory, iterations) = ctypes.CDLL("libargon2.so.1"), ARGON2
    out, begun, count = ctypes.create_string_buffer(32), time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
        argon2.argon2id_hash_raw(iterations, memory, 1, PASSWORD.encode(), len(PASSWORD), b"0123456789abcdef", 16, out, 32)
        count += 1
    return count / (time.perf_counter() - begun)


def introspections(port, authorization, token, ending):
    """Milliseconds of introspections, one after the other with a pause between."""
    connection, taken = http.client.HTTPConnection("127.0.0.1", port, timeout=30), []
    headers = {"Authorization": authorization, "Content-Type": "application/x-www-form-urlencoded"}
    while not ending():
        begun = time.perf_counter()
        connection.request("POST", "/oauth2/introspect", f"token={token}", headers)
        connection.getresponse().read()
        taken.append((time.perf_counter() - begun) * 1000)
        time.sleep(0.002)
    return sorted(taken)


def stand_in(seconds):
    """Hashes as a thread of Kidoban does, and asks for nothing."""
    os.nice(5)
    raw_hash_rate(seconds)


def hash_rate(servers, load, chosen, binary, authorization, rounds=5, seconds=3):
    """Of each round: raw hashes a second, sign-ins a second, the p99 of introspection without and with them, and beside a stranger who hashes: so
    much of the difference is the machine's. One thread hashes."""
    server = kidoban(servers, "kidoban-hashing", chosen.loops, not chosen.no_limits, binary, hashes=True)
    server.environment |= {"KIDOBAN_ARGON2_MEMORY": str(ARGON2[0]), "KIDOBAN_ARGON2_ITERATIONS": str(ARGON2[1])}
    target, found = Target("kidoban-hashing", server.started(), authorization, None, load), []
    try:
        accounts = target.accounts(24)
        target.drive(accounts, target.sign_up, 1, 8)
        for _ in range(rounds):
            raw = raw_hash_rate(seconds)
            until = time.perf_counter() + seconds
            quiet = introspections(server.port, authorization, accounts[0].access, lambda: time.perf_counter() > until)
            stranger = multiprocessing.Process(target=stand_in, args=(seconds,))
            stranger.start()
            beside = introspections(server.port, authorization, accounts[0].access, lambda: not stranger.is_alive())
            stranger.join()
            times = max(1, int(raw * seconds / len(accounts)))
            rate = multiprocessing.Value("d", 0)

            def sign_in():
                begun = time.perf_counter()
                rate.value = target.drive(accounts, target.sign_in, times, 8) / (time.perf_counter() - begun)

            flood = multiprocessing.Process(target=sign_in)
            flood.start()
            busy = introspections(server.port, authorization, accounts[0].access, lambda: not flood.is_alive())
            flood.join()
            found.append((raw, rate.value, *(taken[int(len(taken) * 0.99)] for taken in (quiet, beside, busy))))
    finally:
        server.stop()
    return found


def report_hash_rate(found, table):
    median = statistics.median
    table(f"Sign-ins of one hashing thread (argon2id, {ARGON2[0]} KiB, {ARGON2[1]} iterations) beside introspections, {len(found)} rounds, medians",
          ["raw hashes/s", "sign-ins/s", "%", "introspection p99, ms", "beside a stranger", "with sign-ins", "ratio to the first"],
          [("", [f"{median(row[0] for row in found):.1f}", f"{median(row[1] for row in found):.1f}",
                 f"{100 * median(row[1] / row[0] for row in found):.0f}", *(f"{median(row[place] for row in found):.2f}" for place in (2, 3, 4)),
                 f"{median(row[4] / row[2] for row in found):.2f}"])])


def report(chosen, targets, table):
    def cell(target, flow):
        measured = target.measured.get(flow)
        return "–" if measured is None else " + ".join(f"{value:.0f}" for value in measured[:3])

    titles = [PEERS.get(target.name, target.name) for target in targets]
    table(f"Processor time of a request, µs: of the server + of Redis + of PostgreSQL (least of {chosen.rounds} rounds of "
          f"{chosen.requests} requests on {chosen.connections} connections)\n"
          "(Kidoban signs with ES256, has its budgets, stores audit events and mails; nobody hashes. What each takes when nobody asks "
          "is left out.)",
          titles, [(flow, [cell(target, flow) for target in targets]) for flow in FLOWS[:-1] if flow in chosen.flows])
    own = [target for target in targets if target.service]
    names = [name for name in (own[0].measured if own else []) if name not in FLOWS]
    names.sort(key=lambda name: FLOWS.index(name.split(",")[0]) if name.split(",")[0] in FLOWS else len(FLOWS))
    if names:
        table("The same with few and many", [PEERS.get(target.name, target.name) for target in own],
              [(name, [cell(target, name) for target in own]) for name in names])


if __name__ == "__main__":
    main()
