import HTTP
import Identity
import Text

/// What there is only in the emulator.
extension IdentityToolkit.Core {
    var emulatorEndpoints: [Endpoint] {
        let project = "/emulator/v1/projects/{project}"
        return [
            .object("Whether the emulator is ready", .get, .everybody, ["/"]) { _ throws(Failure) in
                var state = JSONObject()
                state["ready"] = true
                state["docs"] = "https://firebase.google.com/docs/emulator-suite"
                state["apiSpec"] = "/emulator/openapi.json"
                return JSONObject([JSONObject.Member(key: "authEmulator", value: .object(state))])
            },
            .object("Delete all users", .delete, .everybody, ["\(project)/accounts"]) { call throws(Failure) in
                try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    while true {
                        let users = try await self.accounts.page(after: nil, count: 500)
                        guard !users.isEmpty else { break }
                        for user in users {
                            try await self.accounts.delete(user.user.id, by: self.api.client, caller: call.caller)
                        }
                    }
                }
                return JSONObject()
            },
            .object("Codes that no mail carries", .get, .everybody, ["\(project)/oobCodes"]) { _ throws(Failure) in
                let codes = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await self.accounts.shownCodes()
                }
                return JSONObject([JSONObject.Member(key: "oobCodes", value: .array(codes))])
            },
            .object("Codes of text messages", .get, .everybody, ["\(project)/verificationCodes"]) { _ throws(Failure) in
                JSONObject([JSONObject.Member(key: "verificationCodes", value: .array([]))])
            },
            .object("The emulator's configuration", .get, .everybody, ["\(project)/config"]) { _ throws(Failure) in
                try await self.emulatorConfiguration()
            },
            .object("The emulator's configuration", .patch, .everybody, ["\(project)/config"]) { call throws(Failure) in
                _ = try await self.changeConfiguration(call)
                return try await self.emulatorConfiguration()
            },
            .object("What the emulator offers", .get, .everybody, ["/emulator/openapi.json"]) { _ throws(Failure) in
                var info = JSONObject()
                info["title"] = "Identity Toolkit"
                info["version"] = "v1"
                var document = JSONObject()
                document["openapi"] = "3.0.0"
                document["info"] = .object(info)
                document["paths"] = .object(JSONObject())
                return document
            },
        ]
    }

    private func emulatorConfiguration() async throws(Failure) -> JSONObject {
        var answer = JSONObject()
        answer["signIn"] = .object(JSONObject([JSONObject.Member(key: "allowDuplicateEmails", value: false)]))
        answer["emailPrivacyConfig"] = .object(
            JSONObject([JSONObject.Member(key: "enableImprovedEmailPrivacy", value: .bool(try await hidesAddresses()))]))
        return answer
    }
}
