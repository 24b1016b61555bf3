import HTTP
import Identity
import Routing

/// Tells the client how it stands with the limits: `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`, the latter in seconds
/// (draft-ietf-httpapi-ratelimit-headers-06 §5). They are the same for accounts that there are and accounts that there are not.
enum LimitFields {
    /// A handler whose answers, whatever they are, say where the caller stands, once its `Caller` has been told.
    static func telling(_ handler: @escaping Route.Handler) -> Route.Handler {
        { request in
            var request = request
            let notes = ResponseNotes()
            request.notes = notes
            var response = await handler(request)
            response.fields.append(notes.fields)
            return response
        }
    }

    static func fields(_ standing: LimitStanding) -> ResponseFields {
        [
            "RateLimit-Limit": String(standing.limit), "RateLimit-Remaining": String(standing.remaining),
            "RateLimit-Reset": String(standing.reset.roundedUpSeconds),
        ]
    }

    static let documented: [(name: String, meaning: String)] = [
        ("RateLimit-Limit", "How many requests the budget is of."), ("RateLimit-Remaining", "How many of them are left: none."),
        ("RateLimit-Reset", "After how many seconds there is one again."),
    ]
}

extension Duration {
    /// Whole seconds, rounded up.
    var roundedUpSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }

    /// What `Retry-After` says: at least one second (RFC 9110 §10.2.3).
    var retrySeconds: Int64 { max(1, roundedUpSeconds) }
}

extension ResponseFields {
    /// For every answer that carries a token or speaks of one (RFC 6749 §5.1).
    static let notStored: ResponseFields = ["Cache-Control": "no-store", "Pragma": "no-cache"]

    static func retry(after delay: Duration) -> ResponseFields {
        notStored.appending("Retry-After", String(delay.retrySeconds))
    }
}

extension SecurityScheme {
    /// How the documentation names the access token of a session, whichever API gave it out: it is good at each of them.
    static let accessToken = SecurityScheme.bearer("accessToken", "The access token of a session.")
}
