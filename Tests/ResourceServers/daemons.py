"""Apache with its two modules, and Dovecot, set up as their documents say: a process each, with everything in one directory."""

import base64
import os
import socket
import subprocess
from urllib.parse import quote, urlsplit

MODULES = "/usr/lib/apache2/modules"


def apache(directory, port, module, settings):
    needed = {
        "mpm_event": "mod_mpm_event.so", "authn_core": "mod_authn_core.so", "authz_core": "mod_authz_core.so",
        "authz_user": "mod_authz_user.so", module: f"mod_{module}.so",
    }
    documents = directory / "documents"
    documents.mkdir()
    (documents / "index.html").write_text("let in\n")
    documents.chmod(0o755)
    (directory / "httpd.conf").write_text("\n".join([
        f"ServerRoot {directory}", f"PidFile {directory}/pid", f"ErrorLog {directory}/log", f"Listen 127.0.0.1:{port}",
        "ServerName localhost", "User nobody", "Group nogroup", f"Mutex file:{directory} default",
        *(f"LoadModule {name}_module {MODULES}/{file}" for name, file in needed.items()),
        f"LoadModule dir_module {MODULES}/mod_dir.so", "DirectoryIndex index.html", f"DocumentRoot {documents}", settings,
    ]) + "\n")
    return subprocess.Popen(["apache2", "-d", str(directory), "-f", f"{directory}/httpd.conf", "-DFOREGROUND"])


def mod_auth_openidc(directory, port, url, client, secret):
    """https://github.com/OpenIDC/mod_auth_openidc/wiki/OAuth-2.0-Resource-Server"""
    return apache(directory, port, "auth_openidc", "\n".join([
        f"OIDCOAuthIntrospectionEndpoint {url}/oauth2/introspect", "OIDCOAuthIntrospectionEndpointAuth client_secret_basic", "OIDCOAuthSSLValidateServer Off",
        f"OIDCOAuthClientID {client}", f"OIDCOAuthClientSecret {secret}", "OIDCOAuthRemoteUserClaim sub",
        "OIDCCryptoPassphrase of-this-run-only",
        "<Location />", "AuthType oauth20", "Require valid-user", "</Location>",
    ]))


def mod_oauth2(directory, port, url, client, secret):
    """https://github.com/OpenIDC/mod_oauth2"""
    return apache(directory, port, "oauth2", "\n".join([
        "<Location />", "AuthType oauth2",
        f"OAuth2TokenVerify introspect {url}/oauth2/introspect "
        f"introspect.auth=client_secret_basic&client_id={quote(client)}&client_secret={quote(secret)}",
        "OAuth2TargetPass remote_user_claim=sub", "Require valid-user", "</Location>",
    ]))


def dovecot(directory, port, url, client, secret):
    """https://doc.dovecot.org/2.3: "Open Authentication v2.0 database", introspection by POST."""
    (directory / "oauth2.conf").write_text("\n".join([
        "introspection_mode = post", "force_introspection = yes",
        f"introspection_url = http://{quote(client)}:{quote(secret)}@{urlsplit(url).netloc}/oauth2/introspect",
        "username_attribute = username", "active_attribute = active", "active_value = true", "scope = profile",
    ]) + "\n")
    (directory / "dovecot.conf").write_text(f"""
base_dir = {directory}/run
log_path = {directory}/log
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
protocols = imap
mail_location = maildir:{directory}/mail/%u
auth_mechanisms = oauthbearer xoauth2
passdb {{
  driver = oauth2
  mechanisms = oauthbearer xoauth2
  args = {directory}/oauth2.conf
}}
userdb {{
  driver = static
  args = uid=mail gid=mail home={directory}/mail/%u
}}
first_valid_uid = 1
service imap-login {{
  inet_listener imap {{
    address = 127.0.0.1
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
""")
    (directory / "mail").mkdir()
    (directory / "mail").chmod(0o777)
    return subprocess.Popen(["dovecot", "-F", "-c", f"{directory}/dovecot.conf"])


def imap(port, user, token):
    """Whether Dovecot lets the user in with the token (RFC 7628)."""
    said = f"n,a={user},\x01host=localhost\x01port={port}\x01auth=Bearer {token}\x01\x01"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        lines = connection.makefile("rwb")
        lines.readline()
        lines.write(b"a AUTHENTICATE OAUTHBEARER " + base64.b64encode(said.encode()) + b"\r\n")
        lines.flush()
        while line := lines.readline():
            if line.startswith(b"+"):
                # What went wrong, in base64; the client has to say that it has read it (RFC 7628 §3.2.3).
                lines.write(b"AQ==\r\n")
                lines.flush()
            if line.startswith(b"a "):
                return line.startswith(b"a OK")
    raise ConnectionError("Dovecot hung up")


ALL = {"apache-mod_auth_openidc": mod_auth_openidc, "apache-mod_oauth2": mod_oauth2, "dovecot": dovecot}
INSTALLED = {
    "apache-mod_auth_openidc": f"{MODULES}/mod_auth_openidc.so", "apache-mod_oauth2": f"{MODULES}/mod_oauth2.so", "dovecot": "/usr/sbin/dovecot",
}


def is_installed(name):
    return os.path.exists(INSTALLED[name])
