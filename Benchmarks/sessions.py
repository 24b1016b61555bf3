"""What many sessions cost: memory of Redis and Kidoban, its file, rows of PostgreSQL, and whether requests notice how many there are.
`make bench ARGS=sessions` makes two installations, one for a few sessions and one for many, and starts this."""

import argparse
import concurrent.futures
import http.client
import json
import os
import random
import re
import subprocess
import threading
import time

PASSWORD = "seven lanterns at the gate"
NAMES = ["few", "many"]


def options():
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=sessions…",
        description="The cost of many sessions, and introspection and refresh with many beside the same with a few, in turns.")
    parser.add_argument("--sessions", type=int, default=100_000, help="sessions of the large installation, by real sign-ins (100000)")
    parser.add_argument("--few", type=int, default=100, help="sessions of the small one (100)")
    parser.add_argument("--each", type=int, default=500, help="sessions that a user has, at most 1000 (500)")
    parser.add_argument("--users", type=int, default=100_000, help="users of the large installation, most of them by SQL (100000)")
    parser.add_argument("--sample", type=int, default=10_000, help="sessions that the requests are about, of all (10000)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each with both installations in turn (5)")
    parser.add_argument("--seconds", type=int, default=6, help="length of a measurement (6)")
    parser.add_argument("--loops", type=int, default=max(1, os.cpu_count() // 2), help="Kidoban's loops (its default)")
    return parser.parse_args()


class Installation:
    """A PostgreSQL, a Redis and a Kidoban."""

    def __init__(self, name, loops, servers):
        self.name, self.directory = name, servers.DIRECTORY / name
        self.settings = dict(line.split("=", 1) for line in (self.directory / "bench.env").read_text().splitlines())
        self.authorization = servers.basic(self.settings["BENCH_CLIENT_ID"], self.settings["BENCH_CLIENT_SECRET"])
        self.server = servers.kidoban(loops, f"kidoban-{name}", {
            **{key: self.settings[key] for key in ("DATABASE_URL", "REDIS_URL", "KIDOBAN_MASTER_KEY")},
            # As cheap as can be: the sign-ins are there for what they leave behind.
            "KIDOBAN_ARGON2_MEMORY": "7168", "KIDOBAN_ARGON2_ITERATIONS": "1", "KIDOBAN_HASH_THREADS": "2",
            "KIDOBAN_SESSIONS_PER_USER": "1000", "KIDOBAN_ACCESS_TOKEN_LIFETIME": "1d", "KIDOBAN_LOG_LEVEL": "warning",
        })

    def sql(self, statement):
        return subprocess.run(["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", self.settings["DATABASE_URL"],
                               "--command", statement], check=True, capture_output=True, text=True).stdout.strip()

    def redis(self, *words):
        return subprocess.run(["redis-cli", "-h", "127.0.0.1", "-p", self.settings["REDIS_PORT"], *words],
                              env={**os.environ, "REDISCLI_AUTH": self.settings["REDIS_PASSWORD"]},
                              check=True, capture_output=True, text=True).stdout

    def redis_numbers(self):
        return {key: int(value) for key, value in re.findall(r"^(\w+):(\d+)\r?$", self.redis("INFO", "everything"), re.M)}

    def rewrite(self):
        """The append-only file, written anew without what is over; returns when it is done."""
        self.redis("BGREWRITEAOF")
        time.sleep(0.5)
        while any(self.redis_numbers()[name] for name in ("aof_rewrite_in_progress", "aof_rewrite_scheduled")):
            time.sleep(0.1)

    def restart_redis(self):
        """Seconds from the start of the Redis that has been stopped to its first answer."""
        subprocess.run(["scripts/servers", "stop", str(self.directory), "redis"], check=True)
        begun = time.perf_counter()
        subprocess.run(["scripts/servers", "start", str(self.directory), "redis"], check=True)
        return time.perf_counter() - begun

    def sign_in(self, users, sessions):
        """So many sign-ins over HTTP, of so many users in turn; what came back of each."""
        emails = [f"bench-{index}@example.com" for index in range(users)]
        local = threading.local()

        def post(path, fields):
            if not hasattr(local, "connection"):
                local.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            local.connection.request("POST", path, json.dumps(fields), {"Content-Type": "application/json"})
            answer = local.connection.getresponse()
            body = answer.read()
            if answer.status not in (200, 201):
                raise SystemExit(f"{path}: {answer.status} {body!r}")
            return json.loads(body)

        with concurrent.futures.ThreadPoolExecutor(16) as threads:
            first = list(threads.map(lambda email: post("/auth/register", {"email": email, "password": PASSWORD}), emails))
            rest = threads.map(lambda index: post("/auth/login", {"email": emails[index % users], "password": PASSWORD}),
                               range(sessions - users))
            return [*first, *rest]


def fill(installation, sessions, each, sample):
    users = -(-sessions // each)
    begun = time.perf_counter()
    answers = installation.sign_in(users, sessions)
    installation.seconds = time.perf_counter() - begun
    chosen = random.sample(answers, min(sample, len(answers)))
    installation.introspections = installation.directory / "introspections"
    installation.introspections.write_text("".join(f"token={answer['accessToken']}\n" for answer in chosen))
    installation.refreshes = installation.directory / "refreshes"
    installation.refreshes.write_text("".join(json.dumps({"refreshToken": answer["refreshToken"]}) + "\n" for answer in chosen))


def add_users(installation, count):
    """Users who never sign in, like one who has."""
    installation.sql(f"""INSERT INTO users (id, email, email_normalized, password_hash, created_at, updated_at)
        SELECT gen_random_uuid(), 'more-' || number || '@example.com', 'more-' || number || '@example.com',
            (SELECT password_hash FROM users LIMIT 1), now(), now()
        FROM generate_series(1, {count} - (SELECT count(*) FROM users)) AS number""")
    installation.sql("VACUUM ANALYZE")


def sizes(installation, probes):
    numbers = installation.redis_numbers()
    return {
        "Redis: used_memory, MB": numbers["used_memory"] / 1e6,
        "Redis: used_memory_rss, MB": numbers["used_memory_rss"] / 1e6,
        "Redis: append-only file, MB": numbers["aof_current_size"] / 1e6,
        "Redis: keys": int(installation.redis("DBSIZE")),
        "Kidoban: VmRSS, MB": probes.resident_megabytes(installation.server.processes()),
        "PostgreSQL: users, rows": int(installation.sql("SELECT count(*) FROM users")),
        "PostgreSQL: users and its indexes, MB": int(installation.sql("SELECT pg_total_relation_size('users')")) / 1e6,
        "PostgreSQL: audit_events, rows": int(installation.sql("SELECT count(*) FROM audit_events")),
        "PostgreSQL: audit_events and its indexes, MB": int(installation.sql("SELECT pg_total_relation_size('audit_events')")) / 1e6,
    }


def loads(installation, probes, seconds):
    """The same requests in three ways: introspections as fast as they go, paced ones, and paced refreshes."""
    base = f"http://127.0.0.1:{installation.server.port}"
    introspection = {"BENCH_BODIES": str(installation.introspections), "BENCH_AUTHORIZATION": installation.authorization}
    refresh = {"BENCH_BODIES": str(installation.refreshes), "BENCH_TYPE": "application/json"}
    result = {}
    for name, path, connections, environment in (
        ("introspection, full", "/oauth2/introspect", 64, introspection),
        ("introspection, paced", "/oauth2/introspect", 64, {**introspection, "BENCH_PAUSE": "64"}),
        ("refresh, paced", "/auth/refresh", 16, {**refresh, "BENCH_PAUSE": "80"}),
    ):
        one = probes.wrk(base + path, connections, seconds, environment)
        result[f"{name}: requests/s"] = one["requests"] / (one["microseconds"] / 1e6)
        result[f"{name}: p50, ms"] = one["p50"] / 1000
        result[f"{name}: p99, ms"] = one["p99"] / 1000
    return result


def report_sizes(installation, before, after, rewritten, chosen, table):
    rows = [(name, [f"{value:,.1f}" if "MB" in name else f"{value:,}" for value in (before[name], after[name], rewritten[name])])
            for name in after]
    table(f"{chosen.sessions} sessions by sign-in over HTTP in {installation.seconds:.0f} s, and {chosen.users} users",
          ["new", "filled", "after BGREWRITEAOF"], rows)
    used = (rewritten["Redis: used_memory, MB"] - before["Redis: used_memory, MB"]) * 1e6 / chosen.sessions
    file = rewritten["Redis: append-only file, MB"] * 1e6 / chosen.sessions
    print(f"\na session with one access token: {used:,.0f} bytes of Redis's used_memory, {file:,.0f} bytes of its file, rewritten")


def main():
    chosen = options()
    from measure import spread, table
    import probes
    import servers

    both = {name: Installation(name, chosen.loops, servers) for name in NAMES}
    try:
        for installation in both.values():
            installation.server.started()
        before = sizes(both["many"], probes)
        fill(both["few"], chosen.few, chosen.each, chosen.sample)
        fill(both["many"], chosen.sessions, chosen.each, chosen.sample)
        add_users(both["many"], chosen.users)
        time.sleep(2)  # the last audit events
        after = sizes(both["many"], probes)
        both["many"].rewrite()
        report_sizes(both["many"], before, after, sizes(both["many"], probes), chosen, table)

        rounds = {name: [] for name in NAMES}
        for installation in both.values():
            loads(installation, probes, 2)
        for _ in range(chosen.rounds):
            for name, installation in both.items():
                rounds[name].append(loads(installation, probes, chosen.seconds))
        print("\nmemory of Kidoban afterwards, MB: "
              + ", ".join(f"{name} {probes.resident_megabytes(one.server.processes()):.1f}" for name, one in both.items()))
        print(f"Redis answers {both['many'].restart_redis():.2f} s after it was started again with {chosen.sessions} sessions in its file")
    finally:
        for installation in both.values():
            if installation.server.process:
                installation.server.stop()

    names = list(rounds["few"][0])
    table(f"wrk -t1: median (min–max) of {chosen.rounds} interleaved rounds of {chosen.seconds} s",
          [f"{chosen.few} sessions", f"{chosen.sessions} sessions", "many / few"],
          [(name, [spread([one[name] for one in rounds["few"]]), spread([one[name] for one in rounds["many"]]),
                   spread([many[name] / few[name] for few, many in zip(rounds["few"], rounds["many"])], 2)]) for name in names])


if __name__ == "__main__":
    main()
