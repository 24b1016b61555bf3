"""lemonldap-ng's portal as a relying party: its configuration, as the manager writes it."""

import json
import os

PORTAL = "/usr/share/lemonldap-ng/portal/htdocs/index.psgi"


def configure(directory, home, metadata, jwks, client):
    """Gives the variables of the environment that name the configuration."""
    for name in ("conf", "cache", "sessions", "sessions/lock", "psessions", "psessions/lock"):
        (directory / name).mkdir(parents=True)
    storage = {"generateModule": "Lemonldap::NG::Common::Apache::Session::Generate::SHA256"}
    configuration = {
        "cfgNum": 1, "cfgVersion": "2.16.1", "cfgAuthor": "check", "cfgDate": "1", "key": os.urandom(16).hex(),
        "authentication": "OpenIDConnect", "userDB": "Same", "passwordDB": "Null", "registerDB": "Null",
        "portal": home + "/", "domain": "127.0.0.1", "cookieName": "lemonldap", "securedCookie": 0, "timeout": 72000,
        "whatToTrace": "mail", "portalUserAttr": "mail", "locationRules": {}, "exportedHeaders": {}, "exportedVars": {}, "groups": {}, "macros": {},
        "globalStorage": "Apache::Session::File", "persistentStorage": "Apache::Session::File",
        "globalStorageOptions": {**storage, "Directory": f"{directory}/sessions", "LockDirectory": f"{directory}/sessions/lock"},
        "persistentStorageOptions": {"Directory": f"{directory}/psessions", "LockDirectory": f"{directory}/psessions/lock"},
        "localSessionStorage": "Cache::FileCache",
        "localSessionStorageOptions": {"namespace": "s", "default_expires_in": 600, "cache_root": f"{directory}/cache", "cache_depth": 3},
        "restSessionServer": 1, "captcha_mail_enabled": 0, "captcha_register_enabled": 0, "portalDisplayRegister": 0, "portalDisplayResetPassword": 0,
        "oidcOPMetaDataJSON": {"kidoban": json.dumps(metadata)}, "oidcOPMetaDataJWKS": {"kidoban": json.dumps(jwks)},
        "oidcOPMetaDataExportedVars": {"kidoban": {"uid": "sub", "mail": "email", "cn": "name"}},
        "oidcOPMetaDataOptions": {"kidoban": {
            "oidcOPMetaDataOptionsClientID": client.id, "oidcOPMetaDataOptionsClientSecret": client.secret,
            "oidcOPMetaDataOptionsScope": "openid email profile", "oidcOPMetaDataOptionsCheckJWTSignature": 1,
            "oidcOPMetaDataOptionsUseNonce": 1, "oidcOPMetaDataOptionsStoreIDToken": 1,
            "oidcOPMetaDataOptionsTokenEndpointAuthMethod": "client_secret_basic", "oidcOPMetaDataOptionsIDTokenMaxAge": 30,
        }},
    }
    (directory / "conf" / "lmConf-1.json").write_text(json.dumps(configuration))
    (directory / "lemonldap-ng.ini").write_text("\n".join([
        "[all]", "logLevel = notice", "[configuration]", "type = File", f"dirName = {directory}/conf", "localStorage = Cache::FileCache",
        f"localStorageOptions = {{'namespace' => 'c', 'default_expires_in' => 600, 'cache_root' => '{directory}/cache', 'cache_depth' => 3}}",
        "[portal]", "staticPrefix = /static", "templateDir = /usr/share/lemonldap-ng/portal/templates", "languages = en", "[handler]",
        "[manager]",
    ]) + "\n")
    return {"LLNG_DEFAULTCONFFILE": f"{directory}/lemonldap-ng.ini"}
