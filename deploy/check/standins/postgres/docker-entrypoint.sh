#!/bin/bash
# Of the official entry point: POSTGRES_PASSWORD_FILE, POSTGRES_INITDB_ARGS and /docker-entrypoint-initdb.d/*.sh.
set -euo pipefail
if [[ ${1:-} == -* ]]; then set -- postgres "$@"; fi
[[ $1 == postgres ]] || exec "$@"
if ((EUID == 0)); then
    mkdir -p "$PGDATA"
    chown -R postgres:postgres "$PGDATA"
    chmod 700 "$PGDATA"
    exec gosu postgres "$0" "$@"
fi
if [[ ! -s $PGDATA/PG_VERSION ]]; then
    export POSTGRES_USER=postgres POSTGRES_DB=postgres
    # shellcheck disable=SC2086 # Several arguments in one variable, as the official image has it.
    initdb --pgdata="$PGDATA" --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" ${POSTGRES_INITDB_ARGS:-}
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
    pg_ctl --pgdata="$PGDATA" -o "-c listen_addresses=''" --wait start
    for script in /docker-entrypoint-initdb.d/*.sh; do
        # shellcheck source=/dev/null
        if [[ -x $script ]]; then "$script"; elif [[ -e $script ]]; then . "$script"; fi
    done
    pg_ctl --pgdata="$PGDATA" --mode=fast --wait stop
fi
exec "$@"
