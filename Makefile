.DEFAULT_GOAL := help
.PHONY: help run mail test check check-deploy bench soak fuzz tsan originals resource-servers gateways format openapi clean stop

help: ## Print this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@printf '\nVariables, for example: make run PORT=8081 OPERATIONS_PORT=9091 DATA=.local2\n\n'
	@printf '  %-16s %s\n' \
	    PORT 'where applications reach the server of `make run` on 127.0.0.1 (8080)' \
	    OPERATIONS_PORT 'where its health and metrics are, on 127.0.0.1 (9090)' \
	    DATA 'directory of the private PostgreSQL and Redis, the keys and demo.env (.local)' \
	    DATABASE_URL 'for `make run`: a PostgreSQL to use in place of a private one' \
	    REDIS_URL 'for `make run`: a Redis to use in place of a private one' \
	    ENGINE '`private` for a Docker engine of its own in `make check-deploy` even where there is one' \
	    ARGS 'further arguments of `make test` (to swift test), `make bench`, `make soak`, `make fuzz`, `make tsan`, `make originals`, `make resource-servers` and `make gateways`'

run: ## Install what is missing, build, and serve on 127.0.0.1:PORT with private servers until Ctrl-C
	@scripts/run

mail: ## Print the mails that wait at the servers of `make run`, with their links
	@scripts/mail

test: ## Run the tests against a PostgreSQL and a Redis of their own under DATA/test
	@scripts/test $(ARGS)

check: ## Everything a change must pass: format, rules of the code, a build without warnings, tests, fuzzing, the document, pages
	@scripts/check

check-deploy: ## Check all of deploy/, build the image, run docker-compose.yml, replace its copies under load
	@deploy/check/run

bench: ## Measure introspection beside nginx and nginx + Lua + Redis in three minutes; ARGS=flows, sessions, slowloris, readers, timing or flood for other measurements
	@Benchmarks/run $(ARGS)

soak: ## Break and restart the servers under a load that checks every answer, for ten minutes
	@Tests/Soak/run $(ARGS)

fuzz: ## Feed everything that reads bytes of strangers with libFuzzer and AddressSanitizer, ten minutes a target
	@Tests/Fuzz/run $(ARGS)

tsan: ## Run the tests of Networking, Redis and Postgres under ThreadSanitizer
	@scripts/tsan $(ARGS)

originals: ## Compare the rest-auth API with django-rest-auth 0.9.5 and dj-rest-auth 7, installed from PyPI under DATA
	@Tests/Originals/run $(ARGS)

resource-servers: ## Look whom real resource servers let in that ask about tokens; Python packages from PyPI under DATA
	@Tests/ResourceServers/run $(ARGS)

gateways: ## Look whom real gateways let in that are set up by deploy/gateways
	@Tests/Gateways/run $(ARGS)

format: ## Reformat the Swift sources in place
	@swift format --in-place --parallel --recursive Package.swift Sources Tests Examples/Package.swift Examples/Sources \
	    Clients/Swift/Package.swift Clients/Swift/Sources Clients/Swift/Tests

openapi: ## Write openapi.json, the document of all routes, anew
	@bash -c '. scripts/common; build_debug --product kidoban'
	@env --ignore-environment .build/debug/kidoban openapi >openapi.json.draft
	@mv openapi.json.draft openapi.json

stop: ## Stop the server, the PostgreSQL and the Redis started with this DATA; their data stays
	@scripts/stop

clean: ## Stop them, delete their data, keys and demo.env under DATA, and delete the build
	@scripts/stop --remove
	@rm -rf .build
