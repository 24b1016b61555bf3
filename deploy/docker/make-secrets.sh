#!/bin/sh
# The secrets of docker-compose.yml: made once, at random, each in the volume of the containers that read it. Nothing on the host.
set -eu
cd /secrets
[ ! -e kidoban/redis-url ] || exit 0 # The last to be written.

random() { head -c 32 /dev/urandom | od -A n -v -t x1 | tr -d ' \n'; }
# place FILE MODE: its contents are on standard input; it belongs to root and, if readable, to the group of Kidoban.
place() {
    cat >"$1.draft"
    chown 0:65532 "$1.draft"
    chmod "$2" "$1.draft"
    mv "$1.draft" "$1"
}

umask 077
database=$(random)
redis=$(random)
# The users of these two images differ from image to image: who can reach these volumes may read them.
random | place postgres/superuser-password 444
printf '%s' "$database" | place postgres/kidoban-password 444
printf '%s' "$redis" | place redis/password 444
printf 'requirepass %s\n' "$redis" | place redis/redis.conf 444
random | place kidoban/master-key 440
printf 'postgresql://kidoban:%s@postgres/kidoban' "$database" | place kidoban/database-url 440
printf 'redis://default:%s@redis' "$redis" | place kidoban/redis-url 440
