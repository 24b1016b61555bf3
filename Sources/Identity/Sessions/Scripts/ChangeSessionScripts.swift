/// A script that changes the record of a session that lives, and neither its life nor its tokens. It returns 0 when there is none.
private func changing(_ change: String) -> String {
    SessionScript.reading + SessionScript.writing + """
        local value = redis.call('GET', KEYS[1])
        if not value or is_tombstone(value) then return 0 end
        local session = read_session(value)
        \(change)
        save_session(KEYS[1], session, 0)
        return 1
        """
}

/// Gives the cookies of a session another salt, if the session lives; its other tokens keep theirs.
///
/// - Key: `session:{<sid>}`. Argument: the salt.
/// - Returns 1, or 0 when there is no live session.
package enum ChangeCookieScript {
    package static let source = changing(
        """
        local idle = #session.cookie == 0 and 0 or struct.unpack('>I6', session.cookie)
        session.cookie = struct.pack('>I6', idle) .. ARGV[1]
        """)
}

/// Replaces what tokens say of a session's user, if the session lives.
///
/// - Key: `session:{<sid>}`. Argument: the packed `SessionOwner`.
/// - Returns 1, or 0 when there is no live session.
package enum UpdateOwnerScript {
    package static let source = changing("session.owner = ARGV[1]")
}

/// Takes its cookie from a session that lives and that holds something else.
///
/// - Key: `session:{<sid>}`.
/// - Returns 1, or 0 when there is no live session, or nothing would hold it any more: nothing has happened then.
package enum DropCookieScript {
    package static let source = changing(
        """
        if #session.grants == 0 then return 0 end
        session.cookie = ''
        """)
}
