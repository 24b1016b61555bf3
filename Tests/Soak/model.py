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
        self.answered, self.ended = answered, None
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

    def end(self, now):
        self.own, self.ended = Standing.ENDED, now

    def lose(self, since):
        """That it was given out, or ended, may be forgotten if it was answered later than that."""
        if self.answered >= since or (self.ended or -1) >= since:
            self.own = Standing.DOUBT
        self.seen_inactive = False

    def __str__(self):
        kind = "access" if self.is_access else "refresh"
        return f"{kind} token {self.jti or self.text[:30]} of session {self.sid}"


class Lasting:
    """What a sign-in begins and a sign-out ends, both at the instants at which they were answered."""

    def __init__(self, user, began):
        self.user, self.began, self.ended = user, began, None
        self.standing = Standing.LIVE

    def doubt(self):
        if self.standing is Standing.LIVE:
            self.standing = Standing.DOUBT

    def end(self, now):
        self.standing, self.ended = Standing.ENDED, now

    def lose(self, since):
        """Its beginning or its end may be forgotten if it was answered later than that."""
        if self.began >= since or (self.ended or -1) >= since:
            self.standing = Standing.DOUBT


class Session(Lasting):
    """A sign-in. Of a rotating one `refresh` is the token that is expected next; `spent` are those before the last rotation, with the
    instants at which they gave way."""

    def __init__(self, user, rotates, began):
        super().__init__(user, began)
        self.rotates = rotates
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
            self.spent.append((answered, self.parent))
        self.parent, self.refresh = self.refresh, self.add(text, sent, answered)

    def usable(self, now):
        """An access token that is good for some time yet."""
        return next((token for token in reversed(self.access)
                     if token.standing(now) is Standing.LIVE and now < token.good_until - 15), None)

    def lose(self, since):
        """A rotation that is forgotten: its refresh token is taken all the same, but what it replaced may be the current one again."""
        super().lose(since)
        self.spent = [(when, token) for when, token in self.spent if when < since]
        for token in [*self.access, self.refresh]:
            token.lose(since)


class Cookie(Lasting):
    """A session that a cookie holds. `ends` is when it ends however it is used, by everybody's clock but a wrong one."""

    def __init__(self, user, value, ends, began):
        super().__init__(user, began)
        self.value, self.ends = value, ends
        self.sid = value.removeprefix("kdc_").split(".")[0]


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
        # Until when each of those that may be carried out yet can be.
        self.late_sign_ins = []
        # When those that are not counted any more were ended with all others, and how many.
        self.found_sign_ins = []
        self.undeletable_until = 0.0

    def lose_sign_in(self, until):
        """Nobody knows whether a sign-in has been carried out, or will be before `until`."""
        self.lost_sign_ins += 1
        self.late_sign_ins.append(until)

    def find_sign_ins(self, now):
        """Sessions that nobody knew of have been ended with all others, but for those that begin only now."""
        self.late_sign_ins = [until for until in self.late_sign_ins if until > now]
        late = len(self.late_sign_ins)
        self.found_sign_ins.append((now, self.lost_sign_ins - late))
        self.lost_sign_ins = late

    def lose(self, since):
        for lasting in [*self.sessions, *self.cookies]:
            lasting.lose(since)
        self.lost_sign_ins += sum(count for when, count in self.found_sign_ins if when >= since)
        self.found_sign_ins = []

    def live(self):
        return [session for session in self.sessions if session.standing is Standing.LIVE]


class Truth:
    """All users and, for whoever asks about tokens, a sample of each kind that does not grow with the run."""

    SAMPLE = 3000
    HORIZON = 12.0

    def __init__(self, run):
        self.run = run
        # A request that was given up may be carried out this much later: by a copy that was paused, or in a packet sent again.
        self.horizon = self.HORIZON
        self.users = []
        self.ended = []
        self.ended_count = 0
        self.losses = 0

    def new_user(self):
        user = User(len(self.users), self.run)
        self.users.append(user)
        return user

    def lose(self, since):
        """Redis may have forgotten whatever it has been told since then, and nothing else."""
        self.losses += 1
        for user in self.users:
            user.lose(since)

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
