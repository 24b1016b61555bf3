import HTTP
import Identity
import Text

/// All users, in pages.
extension IdentityToolkit.Core {
    var listEndpoints: [Endpoint] {
        [
            .object("List users", .get, .administrator, ["\(Self.projectPath)/accounts:batchGet"]) { call throws(Failure) in
                try await self.batchGet(call.query)
            },
            .object("List users", .post, .administrator, ["\(Host.legacy)/downloadAccount"]) { call throws(Failure) in
                try self.requireProject(call)
                return try await self.batchGet(call.fields)
            },
        ]
    }

    /// The older API names the project in the body, and nowhere else. Credentials that are no emulator's are of one project.
    func requireProject(_ call: Call) throws(Failure) {
        guard options.isEmulator, call.request.head.path.contains(Host.legacy) else { return }
        guard call.fields.nonEmpty("targetProjectId") != nil else {
            throw Failure("INSUFFICIENT_PERMISSION")
        }
    }

    private func batchGet(_ fields: Fields) async throws(Failure) -> JSONObject {
        let wanted = fields.integer("maxResults") ?? 0
        guard wanted >= 0 else { throw Failure("INVALID_PAGE_SELECTION") }
        let count = wanted == 0 ? 20 : Int(min(wanted, 1000))
        let token = fields.nonEmpty("nextPageToken")
        var users = try await page(after: token, count: count + 1)
        var answer = Self.kind("DownloadAccountResponse")
        if users.count > count {
            users.removeLast()
            answer["nextPageToken"] = users.last.map { .string(options.isEmulator ? $0.localID : $0.user.id.description) }
        }
        if !users.isEmpty {
            answer["users"] = .array(users.map { IdentityToolkit.UserInfoObject.object($0, withHash: true) })
        }
        return answer
    }

    /// In the emulator by the ids that tests have given; else by our own, since there may be millions.
    private func page(after token: String?, count: Int) async throws(Failure) -> [ProjectUser] {
        var last: UserID?
        if let token, !options.isEmulator {
            guard let id = UserID(token) else { throw Failure("INVALID_PAGE_SELECTION") }
            last = id
        }
        let start = last
        return try await Failure.mapIdentityErrors { () throws(IdentityError) in
            options.isEmulator
                ? try await accounts.page(afterLocalID: token ?? "", count: count)
                : try await accounts.page(after: start, count: count)
        }
    }
}
