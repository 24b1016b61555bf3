"""The truth: what holds of every user, session and token, given what has been acknowledged and what is in doubt."""

import base64
import enum
import json
import random

from copies import ACCESS_TOKEN_LIFETIME


class Standing(enum.Enum):
    """What a copy must say of a thing."""

    LIVE = "live"
    DOUBT = "in doubt"
    ENDED = "ended"


class Token:
    """An access or refresh token that a copy has given out."""

    def __init__(self, text, session, sent, answered):
        self.text, self.session = text, session
        self.is_access = not text.startswith("kdr_")
        self.own = Standing.LIVE
        self.seen_inactive = False
        self.good_until = self.dead_from = None
        if self.is_access:
            claims = payload(text)
            self.user_id, self.sid, self.jti = claims["sub"], claims["sid"], claims["jti"]
            # Its life is counted by Redis from when it was stored: between these two instants.
            self.good_until, self.dead_from = sent + ACCESS_TOKEN_LIFETIME - 1, answered + ACCESS_TOKEN_LIFETIME + 1
        else:
            self.user_id, self.sid, self.jti = session.user.id, text.split("_", 1)[1].split(".")[0], None

    def standing(self, now):
        if Standing.ENDED in (self.own, self.session.standing) or (self.dead_from and now > self.dead_from):
            return Standing.ENDED
        if Standing.DOUBT in (self.own, self.session.standing) or (self.good_until and now > self.good_until):
            return Standing.DOUBT
        return Standing.LIVE

    def __str__(self):
        kind = "access" if self.is_access else "refresh"
        return f"{kind} token {self.jti or self.text[:30]} of session {self.sid}"


class Session:
    """A sign-in. Of a rotating one `refresh` is the token that is expected next; `spent` are those before the last rotation."""

    def __init__(self, user, rotates):
        self.user, self.rotates = user, rotates
        self.standing = Standing.LIVE
        self.access = []
        self.refresh = None
        self.parent = None
        self.spent = []
        self.sid = None
        # Until then a rotation that was given up may still be carried out, and another one would look like a thief's.
        self.unsettled_until = 0.0

    def add(self, text, sent, answered):
        token = Token(text, self, sent, answered)
        if token.is_access:
            self.access.append(token)
            self.sid = self.sid or token.sid
        return token

    def rotate(self, text, sent, answered):
        if self.refresh and text == self.refresh.text:
            return
        if self.parent:
            self.spent.append(self.parent)
        self.parent, self.refresh = self.refresh, self.add(text, sent, answered)

    def usable(self, now):
        """An access token that is good for some time yet."""
        return next((token for token in reversed(self.access)
                     if token.standing(now) is Standing.LIVE and now < token.good_until - 15), None)

    def doubt(self):
        if self.standing is Standing.LIVE:
            self.standing = Standing.DOUBT

    def end(self):
        self.standing = Standing.ENDED


class Cookie:
    """A session that a cookie holds. `ends` is when it ends however it is used, by everybody's clock but a wrong one."""

    def __init__(self, user, value, ends):
        self.user, self.value, self.ends = user, value, ends
        self.sid = value.removeprefix("kdc_").split(".")[0]
        self.standing = Standing.LIVE

    def doubt(self):
        if self.standing is Standing.LIVE:
            self.standing = Standing.DOUBT

    def end(self):
        self.standing = Standing.ENDED


class User:
    """An account. `lost_sign_ins` counts sessions that may exist without anybody having got their tokens."""

    def __init__(self, number, run):
        self.name = f"user{number}"
        self.email = f"soak-{run}-{number}@example.com"
        self.password = f"seven lanterns at gate {number}"
        self.id = None
        self.standing = Standing.DOUBT
        self.sessions = []
        self.cookies = []
        self.lost_sign_ins = 0
        self.undeletable_until = 0.0

    def live(self):
        return [session for session in self.sessions if session.standing is Standing.LIVE]


class Truth:
    """All users and, for whoever asks about tokens, a sample of each kind that does not grow with the run."""

    SAMPLE = 3000

    def __init__(self, run):
        self.run = run
        self.users = []
        self.ended = []
        self.ended_count = 0

    def new_user(self):
        user = User(len(self.users), self.run)
        self.users.append(user)
        return user

    def note_ended(self, session):
        """A fair sample of the tokens of all sessions that have ended."""
        for token in [*session.access[-3:], session.refresh]:
            self.ended_count += 1
            if len(self.ended) < self.SAMPLE:
                self.ended.append(token)
            elif (place := random.randrange(self.ended_count)) < self.SAMPLE:
                self.ended[place] = token


def payload(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
