"""Questions whose answers the truth decides, as phones and backends ask them."""

import random
import time

from copies import COOKIE_IDLE_LIFETIME
from model import Standing

REFUSED = "a live session was refused"


class Checks:
    """`backend` is the client credentials of who may introspect, as HTTP Basic has them."""

    def __init__(self, balancer, judge, backend):
        self.balancer, self.judge, self.backend = balancer, judge, backend

    async def introspect(self, token, who=None):
        """Is this token good? The truth is read before and after, because it may change in between."""
        before, was_inactive = token.standing(self.judge.now()), token.seen_inactive
        answer = await self.balancer.ask(
            "introspect", who or token.session.user.name, "POST", "/oauth2/introspect", basic=self.backend,
            form=f"token={token.text}", note=f"{token.session.sid} {before.value}")
        after = token.standing(answer.answered)
        if answer.is_unanswered:
            return answer
        if answer.status != 200:
            self.judge.blame(answer, "introspection must be answered with 200")
            return answer
        body = answer.json
        if not token.is_access:
            if body != {"active": False}:
                self.judge.blame(answer, f"a refresh token that opens backends: {token}")
        elif body.get("active") is True:
            if before is after is Standing.ENDED:
                self.judge.blame(answer, f"REVOKED, AND ACTIVE: {token}")
            elif was_inactive and token.seen_inactive:
                self.judge.blame(answer, f"active again: {token}")
            if (body.get("sub"), body.get("sid"), body.get("jti")) != (token.user_id, token.sid, token.jti):
                self.judge.blame(answer, f"an answer about another token than {token}")
        elif body == {"active": False}:
            token.seen_inactive = True
            if before is after is Standing.LIVE:
                self.judge.blame(answer, f"live, and inactive: {token}")
        else:
            self.judge.blame(answer, "introspection gave something else")
        return answer

    async def look(self, session):
        """The app opens: who am I? And a backend asks about the same token."""
        token = session.usable(self.judge.now())
        if token is None:
            return
        before = token.standing(self.judge.now())
        answer = await self.balancer.ask("me", session.user.name, "GET", "/auth/me", bearer=token.text, note=session.sid)
        if not answer.is_unanswered and before is token.standing(answer.answered) is Standing.LIVE:
            if answer.status != 200:
                self.judge.blame(answer, REFUSED)
            elif answer.json.get("id") != session.user.id:
                self.judge.blame(answer, "an answer about somebody else")
        await self.introspect(token)
        if random.random() < 0.3:
            await self.introspect(session.refresh)

    async def touch(self, cookie):
        """A page is opened. Whichever copy answers, and whatever it takes for the time: the cookie is good for as long as promised."""
        before, asked = cookie.standing, time.time()
        answer = await self.balancer.ask("touch", cookie.user.name, "GET", "/touch", cookie=cookie.value, note=cookie.sid)
        if answer.is_unanswered:
            return
        if answer.status == 200:
            if before is cookie.standing is Standing.ENDED:
                self.judge.blame(answer, f"ENDED, AND GOOD: the cookie of session {cookie.sid}")
            self.check_times(answer, cookie, asked)
        elif answer.status != 401:
            self.judge.blame(answer, "a touch gave something else")
        elif before is cookie.standing is Standing.LIVE:
            self.judge.blame(answer, REFUSED)

    def check_times(self, answer, cookie, asked):
        told = answer.json["session"]
        if not asked - 1 <= told["idle_expires_at"] - COOKIE_IDLE_LIFETIME <= time.time() + 1 or told["expires_at"] != cookie.ends:
            self.judge.blame(answer, f"other times than of this cookie: {told}")

    async def devices(self, session):
        """The list of sessions has every live one, none that has ended, and no more than could exist."""
        token, user = session.usable(self.judge.now()), session.user
        if token is None:
            return
        before = {other.sid: other.standing for other in [*user.sessions, *user.cookies]}
        answer = await self.balancer.ask("devices", user.name, "GET", "/auth/sessions", bearer=token.text, note=session.sid)
        if answer.is_unanswered or token.standing(answer.answered) is not Standing.LIVE:
            return
        if answer.status != 200:
            self.judge.blame(answer, REFUSED)
            return
        listed = {entry["id"] for entry in answer.json["sessions"]}
        after = {other.sid: other.standing for other in [*user.sessions, *user.cookies]}
        before = {sid: standing if after[sid] is standing else Standing.DOUBT for sid, standing in before.items()}
        live = {sid for sid, standing in before.items() if standing is Standing.LIVE}
        ended = {sid for sid, standing in before.items() if standing is Standing.ENDED}
        if live - listed:
            self.judge.blame(answer, f"live sessions are not listed: {sorted(live - listed)}")
        if ended & listed:
            self.judge.blame(answer, f"sessions that have ended are listed: {sorted(ended & listed)}")
        if len(listed - before.keys()) > user.lost_sign_ins:
            self.judge.blame(answer, f"more sessions than sign-ins: {sorted(listed - before.keys())}")
