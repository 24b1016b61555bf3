#!/bin/sh
# As root: the data belongs to the user `redis`, who runs the server.
set -e
if [ "$1" = redis-server ] && [ "$(id -u)" = 0 ]; then
    find . ! -user redis -exec chown redis {} +
    exec gosu redis "$@"
fi
exec "$@"
