"""Decides which failures a fault excuses, and keeps what contradicts the promises, with the requests that led there."""

import collections
import dataclasses
import time

# How long after the end of a fault its consequences may be felt.
RECOVERY = 2.0
# When this process stands still for so long, the machine does, and with it the servers: their deadlines pass as in a fault.
STANDSTILL = 0.5


@dataclasses.dataclass
class Fault:
    """A disturbance that is on, or was. `unavailable`: operations that may get 503. `lost`: copies that may give no answer."""

    name: str
    unavailable: frozenset
    lost: frozenset
    began: float
    ended: float | None = None
    requests: int = 0
    refusals: int = 0
    losses: int = 0
    recovery: float = 0.0

    def is_felt(self, sent, answered, delay=0.0):
        return self.began <= answered and (self.ended is None or sent <= self.ended + RECOVERY + delay)


@dataclasses.dataclass
class Violation:
    time: float
    text: str
    faults: list
    history: list


class Judge:
    """The record of a run."""

    def __init__(self):
        self.start = time.monotonic()
        self.exchanges = collections.deque(maxlen=30_000)
        self.faults = []
        self.violations = []
        self.count = collections.Counter()
        self.delays = collections.deque(maxlen=600)
        # When this process last had a look whether it is late.
        self.looked = 0.0
        self.kinds = collections.Counter()

    def now(self):
        return time.monotonic() - self.start

    def begin(self, name, unavailable, lost):
        fault = Fault(name, frozenset(unavailable), frozenset(lost), self.now())
        self.faults.append(fault)
        return fault

    def end(self, fault):
        fault.ended = self.now()

    def stalled_since(self, instant):
        """For how long this process itself stood still since then, and still does: that is nobody else's delay."""
        now = max(0.0, self.now() - max(self.looked, instant) - 0.15)
        return sum(length for when, length in self.delays if when >= instant) + now

    def stood_still(self, exchange):
        """Whether the machine did, so shortly before or during an exchange that this explains how it ended."""
        return self.stalled_since(exchange.sent - RECOVERY) >= STANDSTILL

    def felt(self, exchange):
        return [fault for fault in self.faults[-8:]
                if fault.is_felt(exchange.sent, exchange.answered, self.stalled_since(fault.ended or 0) if fault.ended else 0)]

    def hear(self, exchange):
        """Judges what can be said of any answer, whatever was asked."""
        self.exchanges.append(exchange)
        self.count[exchange.operation] += 1
        faults = self.felt(exchange)
        for fault in faults:
            fault.requests += 1
        if exchange.status == 503:
            self.count["503"] += 1
            excuses = [fault for fault in faults if exchange.operation in fault.unavailable]
            if not exchange.headers.get("retry-after", "").isdigit():
                self.blame(exchange, "503 without Retry-After")
        elif exchange.status == 0 and not exchange.on_purpose:
            self.count["lost"] += 1
            excuses = [fault for fault in faults if exchange.copy in fault.lost]
        else:
            if exchange.status >= 500:
                self.blame(exchange, f"{exchange.status} is no answer to anything")
            return
        for fault in excuses:
            if exchange.status:
                fault.refusals += 1
            else:
                fault.losses += 1
            if fault.ended is not None:
                fault.recovery = max(fault.recovery, exchange.sent - fault.ended)
        if not excuses and self.stood_still(exchange):
            self.count["standstills"] += 1
        elif not excuses:
            self.blame(exchange, "503 that no fault explains" if exchange.status else f"no answer: {exchange.failure}")

    def blame(self, exchange, text):
        self.accuse(f"{text}: {exchange}", exchange.who, kind=text.partition(":")[0] + exchange.operation)

    def accuse(self, text, who=None, kind=None):
        """Something is not as promised. The latest requests of the same user go with it; a few of each kind are enough."""
        self.count["violations"] += 1
        self.kinds[kind or text] += 1
        if self.kinds[kind or text] > 5:
            return
        history = [str(exchange) for exchange in self.exchanges if who and exchange.who == who][-14:]
        active = [f"{fault.name} from {fault.began:.2f} to " + (f"{fault.ended:.2f}" if fault.ended else "now")
                  for fault in self.faults[-3:]]
        self.violations.append(Violation(self.now(), text, active, history))
