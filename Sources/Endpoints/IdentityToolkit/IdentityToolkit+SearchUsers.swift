import HTTP
import Identity
import Text

/// Search of users.
extension IdentityToolkit.Core {
    var searchEndpoint: Endpoint {
        .object(
            "Search users", .post, .administrator,
            ["\(Self.projectPath)/accounts:query", "\(Self.projectPath)/accounts:queryAccounts"]
        ) { call throws(Failure) in try await self.search(call) }
    }

    private func search(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        let limit = Int(fields.integer("limit") ?? 500)
        let offset = Int(fields.integer("offset") ?? 0)
        guard (0...500).contains(limit), (0...1_000_000).contains(offset) else { throw Failure("INVALID_QUERY_PARAMETER") }
        let expressions = fields.objects("expression")
        let returnsUsers = fields.flag("returnUserInfo") ?? true
        var answer = JSONObject()
        guard expressions.isEmpty else {
            var names = ProjectUserNames(
                localIDs: expressions.compactMap { $0.nonEmpty("userId") },
                emails: expressions.compactMap { $0.nonEmpty("email") })
            names.phoneNumbers = expressions.compactMap { $0.nonEmpty("phoneNumber") }
            let wanted = names
            let users = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.users(wanted) }
            answer["recordsCount"] = .string(String(users.count))
            if returnsUsers { answer["userInfo"] = .array(users.map { IdentityToolkit.UserInfoObject.object($0) }) }
            return answer
        }
        guard returnsUsers else {
            answer["recordsCount"] = .string(
                String(try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.count() }))
            return answer
        }
        let order: ProjectUserOrder =
            switch fields.nonEmpty("sortBy") {
            case "NAME": .name
            case "CREATED_AT": .creation
            case "LAST_LOGIN_AT": .signIn
            case "USER_EMAIL": .email
            default: .id
            }
        let users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.list(
                by: order, descending: fields.nonEmpty("order") == "DESC", count: limit, offset: offset)
        }
        answer["recordsCount"] = .string(String(users.count))
        answer["userInfo"] = .array(users.map { IdentityToolkit.UserInfoObject.object($0) })
        return answer
    }
}
