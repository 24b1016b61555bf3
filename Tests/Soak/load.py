"""The load: phones and backends, for as long as they are wanted; and at the end one look at everything that was ever acknowledged."""

import asyncio
import random

from checks import Checks
from model import Session, Standing
from phone import Phone


class Load:
    def __init__(self, balancer, judge, truth, backend, *, phones, backends, pace):
        self.balancer, self.judge, self.truth, self.backend = balancer, judge, truth, backend
        self.checks = Checks(balancer, judge, backend)
        self.stopping = asyncio.Event()
        self.phones = [Phone(balancer, judge, truth, backend, pace) for _ in range(phones)]
        self.tasks = []
        self.backends = backends

    def start(self):
        self.tasks = [asyncio.create_task(phone.run(self.stopping)) for phone in self.phones]
        self.tasks += [asyncio.create_task(self.ask_on(number)) for number in range(self.backends)]
        for task in self.tasks:
            task.add_done_callback(self.ended)

    def ended(self, task):
        if not task.cancelled() and task.exception():
            self.judge.accuse(f"the harness itself failed: {task.exception()!r}")

    async def stop(self):
        self.stopping.set()
        await asyncio.wait(self.tasks, timeout=70)
        for task in self.tasks:
            task.cancel()

    async def ask_on(self, number):
        """A backend: asks about tokens of any phone, good ones and such as should not be."""
        while not self.stopping.is_set():
            token = self.some_token()
            if token:
                await self.checks.introspect(token, f"backend{number}")
            await asyncio.sleep(random.uniform(0.005, 0.025))

    def some_token(self):
        if self.truth.ended and random.random() < 0.5:
            return random.choice(self.truth.ended)
        user = getattr(random.choice(self.phones), "user", None)
        sessions = user and user.sessions[-8:]
        if not sessions:
            return None
        session = random.choice(sessions)
        return random.choice([*session.access[-5:], session.refresh])

    async def look_at_everything(self):
        """Every acknowledged user can sign in, every session lives, and what has ended is over. All stores are up."""
        queue = asyncio.Queue()
        for user in self.truth.users:
            queue.put_nowait(user)
        for token in self.truth.ended:
            queue.put_nowait(token)
        await asyncio.gather(*(self.work_off(queue) for _ in range(16)))

    async def work_off(self, queue):
        while not queue.empty():
            thing = queue.get_nowait()
            if hasattr(thing, "text"):
                await self.checks.introspect(thing, "the end")
            else:
                await self.look_at(thing)

    async def look_at(self, user):
        if user.standing is Standing.DOUBT:
            return
        for session in user.live():
            await self.checks.introspect(session.access[-1])
            await self.checks.introspect(session.refresh)
            answer = await self.balancer.ask(
                "refresh", user.name, "POST", "/auth/refresh", body={"refreshToken": session.refresh.text}, note=f"{session.sid} end")
            if answer.status != 200:
                self.judge.blame(answer, "an acknowledged session is lost")
        for cookie in user.cookies:
            await self.checks.touch(cookie)
        answer = await self.balancer.ask(
            "login", user.name, "POST", "/auth/login", body={"email": user.email, "password": user.password}, note="end")
        if answer.status != (200 if user.standing is Standing.LIVE else 401):
            self.judge.blame(answer, "an acknowledged user is lost" if user.standing is Standing.LIVE else "a deleted user is back")
        if answer.status == 200 and user.standing is Standing.LIVE:
            session = Session(user, True, answer.answered)
            session.add(answer.json["accessToken"], answer.sent, answer.answered)
            user.sessions.append(session)
            await self.checks.devices(session)
