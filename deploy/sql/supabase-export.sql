-- Writes the users of a Supabase project as JSON, for `kidoban import supabase` (docs/migration.md).
SELECT json_agg(json_build_object(
    'id', u.id, 'email', u.email, 'encrypted_password', u.encrypted_password, 'email_confirmed_at', u.email_confirmed_at,
    'phone', u.phone, 'created_at', u.created_at, 'last_sign_in_at', u.last_sign_in_at, 'banned_until', u.banned_until,
    'deleted_at', u.deleted_at, 'is_anonymous', u.is_anonymous, 'raw_app_meta_data', u.raw_app_meta_data,
    'raw_user_meta_data', u.raw_user_meta_data, 'identities', (SELECT json_agg(i) FROM auth.identities i WHERE i.user_id = u.id)))
FROM auth.users u;
