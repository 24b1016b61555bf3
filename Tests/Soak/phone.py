"""Phones: each signs somebody up, uses what it gets as apps do, loses answers, repeats itself, and checks every answer against
the truth. One thing at a time, but for two refreshes at once."""

import asyncio
import random
import time

from checks import Checks
from copies import COOKIE_LIFETIME
from model import Cookie, Session, Standing

LOSS = 0.04
PATIENCE = 60.0


class GivenUp(Exception):
    """The phone cannot get on, which has been recorded."""


class Phone(Checks):
    def __init__(self, balancer, judge, truth, backend, pace):
        super().__init__(balancer, judge, backend)
        self.truth, self.pace = truth, pace

    async def run(self, stopping):
        while not stopping.is_set():
            self.user = self.truth.new_user()
            try:
                await self.sign_up()
                while self.user.standing is Standing.LIVE and not stopping.is_set():
                    await asyncio.sleep(random.uniform(0.2, 1.8) * self.pace)
                    await self.one_thing()
                    # So that the final look at every account takes no longer than the run.
                    if random.random() < 0.004:
                        break
            except GivenUp:
                continue

    async def one_thing(self):
        live, now = self.user.live(), self.judge.now()
        if not live:
            return await self.sign_in()
        session = random.choice(live)
        if session.usable(now) is None or len(session.access) > 100:
            if len(session.access) > 100:
                return await self.sign_out(session)
            return await self.refresh(session)
        kind = random.choices(
            ["refresh", "twice", "look", "devices", "sign_in", "sign_out", "sign_out_device", "everywhere", "revoke", "steal", "delete",
             "browse"],
            [30, 8, 20, 6, 8, 6, 3, 2, 3, 2, 1.5, 16])[0]
        if kind == "sign_in":
            return await (self.sign_in() if len(live) < 5 else self.everywhere(session))
        if kind == "browse":
            return await self.browse()
        await getattr(self, kind)(session) if kind != "delete" else await self.delete(session)

    async def insist(self, operation, method, path, settled, *, lossy=True, lost=None, **request):
        """Repeats a request, each time at another copy, until an answer satisfies `settled`; an app does the same.

        Whether an earlier attempt may have been carried out is given to `settled`, and `lost` is called for each that may.
        """
        doubt, copy, deadline, losses = False, None, self.judge.now() + PATIENCE, self.truth.losses
        while True:
            copy = self.balancer.choose(other_than=copy)
            lose = lossy and not doubt and random.random() < LOSS
            answer = await self.ask(operation, method, path, copy=copy, lose=lose, **request)
            if not answer.is_unanswered:
                # What it was about may have been forgotten meanwhile: then a refusal does not tell that an earlier attempt succeeded.
                forgotten = losses != self.truth.losses
                verdict = settled(answer, doubt and not forgotten)
                if not verdict:
                    if forgotten:
                        raise GivenUp
                    self.judge.blame(answer, f"not what {operation} must be answered" + (" after a doubt" if doubt else ""))
                    raise GivenUp
                return answer
            if lost:
                lost(answer)
            doubt = True
            if self.judge.now() > deadline:
                self.judge.blame(answer, f"no answer for {PATIENCE:.0f} s")
                raise GivenUp
            await asyncio.sleep(random.uniform(0.02, 0.25) if answer.on_purpose else random.uniform(0.2, 0.5))

    async def ask(self, operation, method, path, **request):
        return await self.balancer.ask(operation, self.user.name, method, path, **request)

    def begun(self, answer, rotates):
        """Takes the session that a sign-up or a sign-in has answered with."""
        body, user = answer.json, self.user
        if body["user"]["email"] != user.email or user.id not in (None, body["user"]["id"]):
            self.judge.blame(answer, "an answer about somebody else")
        user.id, user.standing = body["user"]["id"], Standing.LIVE
        session = Session(user, rotates, answer.answered)
        session.add(body["accessToken"], answer.sent, answer.answered)
        session.refresh = session.add(body["refreshToken"], answer.sent, answer.answered)
        if {session.refresh.sid, session.access[0].user_id} != {session.sid, user.id}:
            self.judge.blame(answer, "tokens of different sessions or users")
        user.sessions.append(session)
        return session

    async def sign_up(self):
        user, rotates = self.user, random.random() < 0.6

        def settled(answer, doubt):
            return answer.status == 201 or (answer.status == 400 and doubt and b"already exists" in answer.body)

        def lost(answer):
            user.undeletable_until = self.judge.now() + self.truth.horizon
            user.lose_sign_in(user.undeletable_until)

        answer = await self.insist(
            "register", "POST", "/auth/register", settled, lost=lost,
            body={"email": user.email, "password": user.password, "rotate": rotates})
        if answer.status == 201:
            await self.look(self.begun(answer, rotates))
        else:
            # The first attempt has made the account, and its owner can sign in.
            user.standing = Standing.LIVE
            await self.sign_in()

    async def sign_in(self):
        user, rotates = self.user, random.random() < 0.6

        def lost(_):
            user.lose_sign_in(self.judge.now() + self.truth.horizon)

        answer = await self.insist(
            "login", "POST", "/auth/login", lambda answer, _: answer.status == 200, lost=lost,
            body={"email": user.email, "password": user.password, "rotate": rotates})
        await self.look(self.begun(answer, rotates))

    async def browse(self):
        """The same user at a browser: has a cookie, uses it, signs out."""
        live = [cookie for cookie in self.user.cookies if cookie.standing is Standing.LIVE]
        if len(live) < 2:
            return await self.sign_in_for_cookie()
        cookie = random.choice(live)
        if random.random() < 0.1:
            return await self.end_sessions(
                [], "logout", "POST", "/logout", lambda answer, _: answer.status == 200, cookies=[cookie], cookie=cookie.value,
                note=cookie.sid)
        await self.touch(cookie)

    async def sign_in_for_cookie(self):
        user, asked = self.user, time.time()

        def lost(_):
            user.lose_sign_in(self.judge.now() + self.truth.horizon)

        answer = await self.insist(
            "login", "POST", "/login", lambda answer, _: answer.status == 200, lost=lost,
            body={"email": user.email, "password": user.password})
        value = answer.headers.get("set-cookie", "").partition("=")[2].partition(";")[0]
        cookie = Cookie(user, value, answer.json["session"]["expires_at"], answer.answered)
        user.cookies.append(cookie)
        if not asked - 1 <= cookie.ends - COOKIE_LIFETIME <= time.time() + 1:
            self.judge.blame(answer, f"a cookie until {cookie.ends}")
        self.check_times(answer, cookie, asked)
        await self.touch(cookie)

    async def refresh(self, session):
        if session.rotates and self.judge.now() < session.unsettled_until:
            return await self.look(session)

        def lost(answer):
            session.unsettled_until = self.judge.now() + self.truth.horizon

        answer = await self.insist(
            "refresh", "POST", "/auth/refresh", lambda answer, _: answer.status == 200, lost=lost,
            body={"refreshToken": session.refresh.text}, note=session.sid)
        self.refreshed(session, answer)
        await self.introspect(session.access[-1])

    def refreshed(self, session, answer):
        body = answer.json
        token = session.add(body["accessToken"], answer.sent, answer.answered)
        if session.rotates:
            session.rotate(body["refreshToken"], answer.sent, answer.answered)
        if {token.sid, session.refresh.sid} != {session.sid} or token.user_id != session.user.id:
            self.judge.blame(answer, "tokens of different sessions or users")

    async def twice(self, session):
        """Two refreshes at once, at two copies: both must be answered, and with the same refresh token."""
        if not session.rotates or self.judge.now() < session.unsettled_until:
            return await self.look(session)
        first, losses = self.balancer.choose(), self.truth.losses
        copies = [first, self.balancer.choose(other_than=first)]
        answers = await asyncio.gather(*(
            self.ask("refresh", "POST", "/auth/refresh", copy=copy, body={"refreshToken": session.refresh.text},
                     note=f"{session.sid} twice") for copy in copies))
        successors = set()
        for answer in answers:
            if answer.is_unanswered:
                session.unsettled_until = self.judge.now() + self.truth.horizon
            elif answer.status != 200:
                if losses == self.truth.losses:
                    self.judge.blame(answer, "an honest refresh was refused")
                raise GivenUp
            else:
                successors.add(answer.json["refreshToken"])
                self.refreshed(session, answer)
        if len(successors) > 1:
            self.judge.blame(answers[1], "two refreshes at once got different successors")
            raise GivenUp
        if not successors:
            return await self.refresh_now(session)
        for token in session.access[-len(successors):]:
            await self.introspect(token)

    async def refresh_now(self, session):
        session.unsettled_until = 0.0
        await self.refresh(session)
        session.unsettled_until = self.judge.now() + self.truth.horizon

    async def end_sessions(self, sessions, operation, method, path, settled, *, cookies=(), **request):
        """Whatever ends sessions: in doubt as soon as it is asked for, over when it is answered, and looked at right after."""
        tokens = [token for session in sessions for token in [*session.access[-2:], session.refresh]]
        for session in [*sessions, *cookies]:
            session.doubt()
        answer = await self.insist(operation, method, path, settled, **request)
        for session in [*sessions, *cookies]:
            session.end(answer.answered)
        for session in sessions:
            self.truth.note_ended(session)
        for token in random.sample(tokens, min(4, len(tokens))):
            await self.introspect(token)
        for cookie in random.sample(cookies, min(2, len(cookies))):
            await self.touch(cookie)
        return answer

    async def sign_out(self, session):
        if random.random() < 0.5:
            await self.end_sessions(
                [session], "logout", "POST", "/auth/logout", lambda answer, _: answer.status == 204,
                body={"refreshToken": session.refresh.text}, note=session.sid)
        else:
            await self.end_sessions(
                [session], "logout", "POST", "/auth/logout",
                lambda answer, doubt: answer.status == 204 or (doubt and answer.status in (401, 404)),
                bearer=session.usable(self.judge.now()).text if session.usable(self.judge.now()) else session.access[-1].text,
                note=session.sid)

    async def sign_out_device(self, session):
        other = random.choice(self.user.live())
        await self.end_sessions(
            [other], "end-device", "DELETE", f"/auth/sessions/{other.sid}",
            lambda answer, doubt: answer.status == 204 or (doubt and answer.status in ((401, 404) if other is session else (404,))),
            bearer=session.usable(self.judge.now()).text, note=other.sid)

    async def revoke(self, session):
        """RFC 7009: an access token alone."""
        token = random.choice(session.access)
        if token.own is Standing.LIVE:
            token.own = Standing.DOUBT
        answer = await self.insist("revoke", "POST", "/oauth2/revoke", lambda answer, _: answer.status == 200,
                                   form=f"client_id=app&token={token.text}", note=session.sid)
        token.end(answer.answered)
        await self.introspect(token)

    def cookies_left(self):
        return [cookie for cookie in self.user.cookies if cookie.standing is not Standing.ENDED]

    async def everywhere(self, session):
        """Signs out everywhere, or everywhere else. The user is left alone then if a late attempt could end what comes after."""
        keeps = random.random() < 0.4
        others = [other for other in self.user.sessions if other.standing is not Standing.ENDED and not (keeps and other is session)]
        lost = []
        answer = await self.end_sessions(
            others, "everywhere", "DELETE", "/auth/sessions" + ("?keep=current" if keeps else ""),
            lambda answer, doubt: answer.status == 204 or (doubt and not keeps and answer.status == 401),
            bearer=session.usable(self.judge.now()).text, cookies=self.cookies_left(), lost=lost.append, note=session.sid)
        if answer.status == 204:
            self.user.find_sign_ins(answer.answered)
        if lost:
            raise GivenUp

    async def steal(self, session):
        """A thief presents a refresh token that gave way long ago: the session must end, for him and for its owner."""
        if not session.spent or self.judge.now() < session.unsettled_until:
            return await self.look(session)
        await self.end_sessions(
            [session], "refresh", "POST", "/auth/refresh", lambda answer, _: answer.status == 401,
            body={"refreshToken": random.choice(session.spent)[1].text}, note=f"{session.sid} stolen")

    async def delete(self, session, again=False):
        """The sessions end before the row goes: where PostgreSQL failed between, the account is there yet, and its owner asks again."""
        if self.judge.now() < self.user.undeletable_until:
            return await self.look(session)
        user = self.user
        user.standing = Standing.DOUBT
        answer = await self.end_sessions(
            [other for other in user.sessions if other.standing is not Standing.ENDED], "delete", "DELETE", "/auth/me",
            lambda answer, doubt: answer.status == 204 or ((doubt or again) and answer.status in (401, 404)),
            bearer=session.usable(self.judge.now()).text, cookies=self.cookies_left(), note=session.sid)
        is_deleted = answer.status == 204
        answer = await self.insist(
            "login", "POST", "/auth/login", lambda answer, _: answer.status == 401 or (answer.status == 200 and not is_deleted),
            lossy=False, lost=lambda _: user.lose_sign_in(self.judge.now() + self.truth.horizon),
            body={"email": user.email, "password": user.password, "rotate": True})
        if answer.status == 200:
            return await self.delete(self.begun(answer, True), again=True)
        user.standing = Standing.ENDED
