import HTTP
import Identity
import Text

/// Deletion of many users.
extension IdentityToolkit.Core {
    var deleteManyEndpoint: Endpoint {
        .object("Delete users", .post, .administrator, ["\(Self.projectPath)/accounts:batchDelete"]) { call throws(Failure) in
            try await self.batchDelete(call)
        }
    }

    private func batchDelete(_ call: Call) async throws(Failure) -> JSONObject {
        let entries = call.fields.entries("localIds")
        let ids = entries.compactMap { $0 }
        guard (1...1000).contains(entries.count), !ids.isEmpty else { throw Failure("LOCAL_ID_LIST_EXCEEDS_LIMIT") }
        let force = call.fields.flag("force") ?? false
        let users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.users(ProjectUserNames(localIDs: ids))
        }
        var errors: [(index: Int, item: JSONObject)] = []
        for user in users {
            guard force || user.user.isDisabled else {
                for (index, entry) in entries.enumerated() {
                    guard let entry, entry == user.localID || UserID(entry) == user.user.id else { continue }
                    var item = JSONObject()
                    item["index"] = .integer(Int64(index))
                    item["localId"] = .string(user.localID)
                    item["message"] = "NOT_DISABLED : Disable the account before batch deletion."
                    errors.append((index, item))
                }
                continue
            }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await accounts.delete(user.user.id, by: api.client, caller: call.caller)
            }
        }
        var answer = JSONObject()
        errors.sort { $0.index < $1.index }
        if !errors.isEmpty { answer["errors"] = .array(errors.map { .object($0.item) }) }
        return answer
    }
}
