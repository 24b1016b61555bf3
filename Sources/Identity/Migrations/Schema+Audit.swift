import Postgres

extension Schema {
    /// Audit events by the month.
    static let audit = Migration(
        version: 4,
        name: "audit_partitions",
        sql: """
            -- A partition is a range of ids, which begin with the time (UUIDv7), so that old events go at once and leave no holes.
            -- No reference to users: what happened to a user who is gone stays on record.
            CREATE TABLE audit_events (
                id uuid PRIMARY KEY,
                occurred_at timestamptz NOT NULL,
                kind text NOT NULL,
                outcome text NOT NULL CONSTRAINT audit_events_outcome CHECK (outcome IN ('succeeded', 'refused')),
                reason text,
                actor text NOT NULL,
                user_id uuid,
                client_id text,
                session_id text,
                address text,
                reference_id text,
                detail jsonb NOT NULL DEFAULT '{}'
            ) PARTITION BY RANGE (id);

            CREATE INDEX audit_events_of_user ON audit_events (user_id, id) WHERE user_id IS NOT NULL;
            CREATE INDEX audit_events_by_kind ON audit_events (kind, id);
            -- For statements by hand. Events come in the order of time, so a few pages do.
            CREATE INDEX audit_events_by_time ON audit_events USING brin (occurred_at) WITH (autosummarize = on);
            CREATE INDEX audit_events_by_reference ON audit_events USING hash (reference_id);
            CREATE INDEX audit_events_by_operator ON audit_events ((detail ->> 'operator'), id) WHERE actor = 'administrator';

            -- The lowest id of an instant.
            CREATE FUNCTION audit_events_edge(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
                SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
            $$;

            -- What no month is there for goes here, so that no event is ever refused.
            CREATE TABLE audit_events_default PARTITION OF audit_events DEFAULT;

            -- The first one ends with the month, and has whatever is older.
            DO $$
            BEGIN
                EXECUTE format(
                    'CREATE TABLE audit_events_before PARTITION OF audit_events FOR VALUES FROM (MINVALUE) TO (%L)',
                    audit_events_edge((date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'));
            END
            $$;

            -- Lower and upper are NULL of the one for what is left over, and lower of the one that everything began with.
            CREATE VIEW audit_event_partitions AS
            SELECT
                c.oid::regclass AS name,
                substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \\(''([0-9a-f-]{36})''\\)')::uuid AS lower,
                substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''([0-9a-f-]{36})''\\)')::uuid AS upper
            FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'audit_events'::regclass;

            -- Makes the partitions of this month and of as many after it. For whoever may delete events; by the owner's rights.
            CREATE FUNCTION audit_events_make(at timestamptz, ahead integer) RETURNS integer
            LANGUAGE plpgsql SECURITY DEFINER AS $$
            DECLARE
                month timestamp;
                part text;
                low uuid;
                high uuid;
                made integer := 0;
            BEGIN
                IF NOT has_table_privilege(session_user, 'audit_events', 'DELETE') THEN
                    RAISE insufficient_privilege;
                END IF;
                -- One at a time: "audit" in ASCII.
                IF NOT pg_try_advisory_xact_lock(418581342580) THEN
                    RETURN 0;
                END IF;
                -- Who asks for events, and who writes them, queues up behind us.
                PERFORM set_config('lock_timeout', '2s', true);
                FOR step IN 0..ahead LOOP
                    month := date_trunc('month', at AT TIME ZONE 'UTC') + make_interval(months => step);
                    low := audit_events_edge(month AT TIME ZONE 'UTC');
                    high := audit_events_edge((month + interval '1 month') AT TIME ZONE 'UTC');
                    CONTINUE WHEN EXISTS (
                        SELECT FROM audit_event_partitions p WHERE p.upper > low AND coalesce(p.lower, '00000000-0000-0000-0000-000000000000') <= low
                    );
                    part := 'audit_events_' || to_char(month, 'YYYY_MM');
                    EXECUTE format('CREATE TABLE %I (LIKE audit_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part);
                    EXECUTE format(
                        'WITH late AS (DELETE FROM audit_events_default WHERE id >= %L AND id < %L RETURNING *) INSERT INTO %I SELECT * FROM late',
                        low, high, part);
                    EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part, low, high);
                    made := made + 1;
                END LOOP;
                RETURN made;
            END
            $$;

            -- Drops the partitions whose events are all older, and deletes the others of the partitions that are no month's, as many as
            -- `at_most` at a time. Returns how many it has deleted.
            CREATE FUNCTION audit_events_expire(cutoff timestamptz, at_most integer, OUT dropped integer, OUT deleted bigint)
            LANGUAGE plpgsql SECURITY DEFINER AS $$
            DECLARE
                part record;
                edge uuid := audit_events_edge(cutoff);
                count bigint;
            BEGIN
                dropped := 0;
                deleted := 0;
                IF NOT has_table_privilege(session_user, 'audit_events', 'DELETE') THEN
                    RAISE insufficient_privilege;
                END IF;
                IF NOT pg_try_advisory_xact_lock(418581342580) THEN
                    RETURN;
                END IF;
                PERFORM set_config('lock_timeout', '2s', true);
                FOR part IN SELECT * FROM audit_event_partitions LOOP
                    IF part.upper <= edge THEN
                        EXECUTE format('DROP TABLE %s', part.name);
                        dropped := dropped + 1;
                    ELSIF part.lower IS NULL THEN
                        EXECUTE format('DELETE FROM %1$s WHERE id IN (SELECT id FROM %1$s WHERE id < %2$L ORDER BY id LIMIT %3$s)', part.name, edge, at_most);
                        GET DIAGNOSTICS count = ROW_COUNT;
                        deleted := deleted + count;
                    END IF;
                END LOOP;
            END
            $$;

            -- What others have in a schema of theirs is not taken for ours.
            DO $$
            BEGIN
                EXECUTE format('ALTER FUNCTION audit_events_make(timestamptz, integer) SET search_path = %I, pg_temp', current_schema());
                EXECUTE format('ALTER FUNCTION audit_events_expire(timestamptz, integer) SET search_path = %I, pg_temp', current_schema());
            END
            $$;

            GRANT SELECT ON audit_event_partitions TO PUBLIC;

            SELECT audit_events_make(now(), 2);
            """)
}
