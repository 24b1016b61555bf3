#!/bin/bash
# Run by PostgreSQL's image when its data directory is new: Kidoban's role, which owns its database and may do nothing else.
set -euo pipefail
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --set password="$(cat /run/secrets/postgres/kidoban-password)" <<'END'
CREATE ROLE kidoban LOGIN PASSWORD :'password';
CREATE DATABASE kidoban OWNER kidoban;
END
