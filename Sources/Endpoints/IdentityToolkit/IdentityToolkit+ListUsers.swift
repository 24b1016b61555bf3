import HTTP
import Identity
import Text

/// All users, in pages (contract §5.10).
extension IdentityToolkit.Core {
    var listEndpoints: [Endpoint] {
        [
            .object("List users", .get, .administrator, ["\(Self.projectPath)/accounts:batchGet"]) { call throws(Failure) in
                try await self.batchGet(call.query)
            },
            .object("List users", .post, .administrator, ["\(Host.legacy)/downloadAccount"]) { call throws(Failure) in
                try await self.batchGet(call.fields)
            },
        ]
    }

    private func batchGet(_ fields: Fields) async throws(Failure) -> JSONObject {
        let count = Int(fields.integer("maxResults") ?? 20)
        guard (1...1000).contains(count) else { throw Failure("INVALID_PAGE_SELECTION") }
        var last: UserID?
        if let token = fields.nonEmpty("nextPageToken") {
            guard let id = UserID(token) else { throw Failure("INVALID_PAGE_SELECTION") }
            last = id
        }
        let start = last
        var users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.page(after: start, count: count + 1)
        }
        var answer = Self.kind("DownloadAccountResponse")
        if users.count > count {
            users.removeLast()
            answer["nextPageToken"] = users.last.map { .string($0.user.id.description) }
        }
        if !users.isEmpty {
            answer["users"] = .array(users.map { IdentityToolkit.UserInfoObject.object($0, withHash: true) })
        }
        return answer
    }
}
