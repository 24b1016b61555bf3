-- Brings audit events in that a copy wrote to its log (docs/operations.md, Audit events). Reads events.json in the working directory; run it
-- twice if you like.
\set events `cat events.json`
INSERT INTO audit_events (id, occurred_at, kind, outcome, reason, actor, user_id, client_id, session_id, address, reference_id, detail)
SELECT id, to_timestamp(occurred_at / 1000.0), kind, outcome, reason, actor, user_id, client_id, session_id, address, reference_id, detail
FROM jsonb_to_recordset(:'events') AS event (id uuid, occurred_at bigint, kind text, outcome text, reason text, actor text, user_id uuid,
  client_id text, session_id text, address text, reference_id text, detail jsonb)
ON CONFLICT (id) DO NOTHING;
