"""Questions whose answers the truth decides, as phones and backends ask them."""

import random

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
        if body.get("active") is True:
            if before is Standing.ENDED:
                self.judge.blame(answer, f"REVOKED, AND ACTIVE: {token}")
            elif was_inactive and token.is_access:
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

    async def devices(self, session):
        """The list of sessions has every live one, none that has ended, and no more than could exist."""
        token, user = session.usable(self.judge.now()), session.user
        if token is None:
            return
        before = {other.sid: other.standing for other in user.sessions}
        known_losses = user.lost_sign_ins
        answer = await self.balancer.ask("devices", user.name, "GET", "/auth/sessions", bearer=token.text, note=session.sid)
        if answer.is_unanswered or token.standing(answer.answered) is not Standing.LIVE:
            return
        if answer.status != 200:
            self.judge.blame(answer, REFUSED)
            return
        listed = {entry["id"] for entry in answer.json["sessions"]}
        live = {sid for sid, standing in before.items() if standing is Standing.LIVE}
        ended = {sid for sid, standing in before.items() if standing is Standing.ENDED}
        if live - listed:
            self.judge.blame(answer, f"live sessions are not listed: {sorted(live - listed)}")
        if ended & listed:
            self.judge.blame(answer, f"sessions that have ended are listed: {sorted(ended & listed)}")
        if len(listed - before.keys()) > known_losses:
            self.judge.blame(answer, f"more sessions than sign-ins: {sorted(listed - before.keys())}")
