"""The ways in which the originals are set up, and our settings for the same."""

import dataclasses
import json

# Where links in mails lead, as with the originals.
LINKS = {"RESET_LINK": "http://localhost/reset/{uid}/{token}/", "VERIFICATION_LINK": "http://localhost/confirm-email/{key}/"}


@dataclasses.dataclass(frozen=True)
class Variant:
    is_old: bool
    #: Django's settings.
    django: dict = dataclasses.field(default_factory=dict)
    #: Ours, without what the names of all begin with.
    ours: dict = dataclasses.field(default_factory=dict)

    @property
    def arguments(self):
        """For original.py."""
        return [f"{name}={json.dumps(value)}" for name, value in self.django.items()]

    @property
    def environment(self):
        given = {"DIALECT": "0.9.5" if self.is_old else "7"} | LINKS | self.ours
        return {f"KIDOBAN_REST_AUTH_{name}": value for name, value in given.items()}

    @property
    def uses_jwt(self):
        return self.ours.get("TOKENS") == "jwt"

    @property
    def takes_names(self):
        return "LOGIN_NAME" in self.ours

    @property
    def is_mandatory(self):
        return self.ours.get("EMAIL_VERIFICATION") == "mandatory"


ALL = {
    "0.9.5-keys": Variant(True),
    "0.9.5-names": Variant(
        True,
        {
            "ACCOUNT_AUTHENTICATION_METHOD": "username_email", "ACCOUNT_EMAIL_VERIFICATION": "mandatory",
            "ACCOUNT_USERNAME_REQUIRED": True, "ACCOUNT_LOGOUT_ON_GET": False,
        },
        {"LOGIN_NAME": "username_email", "EMAIL_VERIFICATION": "mandatory", "LOGOUT_ON_GET": "false"}),
    "0.9.5-jwt": Variant(True, {"REST_USE_JWT": True}, {"TOKENS": "jwt"}),
    "7-keys": Variant(False),
    "7-jwt": Variant(
        False,
        {
            "REST_AUTH": {"USE_JWT": True, "JWT_AUTH_HTTPONLY": False, "JWT_AUTH_RETURN_EXPIRATION": True},
            "SIMPLE_JWT": {"ROTATE_REFRESH_TOKENS": True, "BLACKLIST_AFTER_ROTATION": True},
        },
        {"TOKENS": "jwt", "JWT_HTTPONLY": "false", "RETURN_EXPIRATION": "true", "ROTATE": "true"}),
    "7-cookies": Variant(
        False,
        {
            "REST_AUTH": {
                "USE_JWT": True, "JWT_AUTH_COOKIE": "app-auth", "JWT_AUTH_REFRESH_COOKIE": "app-refresh", "SESSION_LOGIN": False,
            },
        },
        {"TOKENS": "jwt", "JWT_COOKIE": "app-auth", "JWT_REFRESH_COOKIE": "app-refresh", "SESSION_LOGIN": "false"}),
}
