/// A script that changes the record of a session that lives, and neither its life nor its tokens. It returns 0 when there is none.
/// - Parameter parts: of `SessionScript` that it needs besides.
private func changing(_ change: String, with parts: String = "") -> String {
    SessionScript.reading + SessionScript.writing + parts + """
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

/// Binds a grant to a key that is bound to none, if its session lives.
///
/// - Key: `session:{<sid>}`. Arguments: the grant's number; what the scripts do not look at of it, as it was read (`Grant.packedTerms`); the key as
///   `KeyConfirmation` stores it.
/// - Returns 1, also when it is bound to this key already; 0 when it is over, or is another by now.
package enum BindGrantScript {
    package static let source = changing(
        """
        local first, after = find_grant(session, tonumber(ARGV[1]))
        if not first then return 0 end
        local rest = read_grant(session, first, after).rest
        if rest == ARGV[2] .. ARGV[3] then return 1 end
        local head = string.sub(session.grants, first + 2, after - 1 - #rest)
        -- Its budget has a key of its own from now on.
        if string.byte(rest, -8) == \(Grant.budgetMark) then rest = string.sub(rest, 1, -9) end
        if rest ~= ARGV[2] then return 0 end
        local grant = head .. rest .. ARGV[3]
        session.grants = string.sub(session.grants, 1, first - 1) .. struct.pack('>I2c0', #grant, grant)
            .. string.sub(session.grants, after)
        """, with: SessionScript.grants)

    static func arguments(_ grant: Grant, of session: Session, to key: KeyConfirmation) -> [[UInt8]] {
        SessionScript.arguments(grant.id.number, grant.packedTerms(in: session.clientID), KeyConfirmation.stored(key))
    }
}
