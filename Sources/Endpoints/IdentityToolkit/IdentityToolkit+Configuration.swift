import HTTP
import Identity
import Text

/// The project's configuration, for administrators.
extension IdentityToolkit.Core {
    var configurationEndpoints: [Endpoint] {
        [
            .object("The project's configuration", .get, .administrator, [Host.toolkit + "/v2/projects/{project}/config"]) {
                _ throws(Failure) in try await self.configuration()
            },
            .object("Change the configuration", .patch, .administrator, [Host.toolkit + "/v2/projects/{project}/config"]) {
                call throws(Failure) in try await self.changeConfiguration(call)
            },
        ]
    }

    private func configuration() async throws(Failure) -> JSONObject {
        var email = JSONObject()
        email["enabled"] = true
        email["passwordRequired"] = .bool(!options.allowsEmailLinks)
        var anonymous = JSONObject()
        anonymous["enabled"] = .bool(options.allowsAnonymous)
        var signIn = JSONObject()
        signIn["email"] = .object(email)
        signIn["anonymous"] = .object(anonymous)
        signIn["allowDuplicateEmails"] = false
        var privacy = JSONObject()
        privacy["enableImprovedEmailPrivacy"] = .bool(try await hidesAddresses())
        var answer = JSONObject()
        answer["name"] = .string("projects/\(options.projectID)/config")
        answer["signIn"] = .object(signIn)
        answer["emailPrivacyConfig"] = .object(privacy)
        answer["authorizedDomains"] = .array(domains.map { .string($0) })
        answer["mfa"] = .object(JSONObject([JSONObject.Member(key: "state", value: "DISABLED")]))
        return answer
    }

    /// What the settings of the server say is for its operator to change. A test changes in the emulator whether addresses are hidden.
    func changeConfiguration(_ call: Call) async throws(Failure) -> JSONObject {
        func flag(_ names: String...) -> Bool? {
            var fields: Fields? = call.fields
            for name in names.dropLast() { fields = fields?.value(name)?.objectValue.map { Fields($0) } }
            return names.last.flatMap { fields?.flag($0) }
        }
        func refusal(_ setting: String) -> Failure {
            Failure("OPERATION_NOT_ALLOWED", "This is a setting of the server, \(setting).")
        }
        let triggers = call.fields.value("blockingFunctions")?["triggers"]?.objectValue ?? JSONObject()
        for trigger in triggers.members {
            guard ["beforeCreate", "beforeSignIn"].contains(trigger.key) else {
                throw Failure("INVALID_BLOCKING_FUNCTION", "((Event type is invalid.))")
            }
            guard AbsoluteURI.holds(trigger.value["functionUri"]?.stringValue ?? "") else {
                throw Failure("INVALID_BLOCKING_FUNCTION", "((Expected an absolute URI with valid scheme and host.))")
            }
        }
        if !triggers.isEmpty {
            throw Failure("OPERATION_NOT_ALLOWED", "Functions are not called.")
        }
        if flag("signIn", "allowDuplicateEmails") == true {
            throw Failure("OPERATION_NOT_ALLOWED", "An address is of one account.")
        }
        if let allowed = flag("signIn", "anonymous", "enabled"), allowed != options.allowsAnonymous {
            throw refusal("KIDOBAN_FIREBASE_ANONYMOUS")
        }
        if let required = flag("signIn", "email", "passwordRequired"), required == options.allowsEmailLinks {
            throw refusal("KIDOBAN_FIREBASE_EMAIL_LINK")
        }
        // Where a mask names what is to be changed, the rest of what is sent is not.
        let mask = call.query.nonEmpty("updateMask")?.split(separator: ",").map { $0.filter { $0 != "_" }.lowercased() }
        let isMeant = mask?.contains { "emailprivacyconfig.enableimprovedemailprivacy".hasPrefix($0) } ?? true
        if isMeant, let hides = flag("emailPrivacyConfig", "enableImprovedEmailPrivacy") {
            if options.isEmulator {
                try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    try await accounts.setEmulator(hidesAddresses: hides)
                }
            } else if hides != options.hidesAddresses {
                throw refusal("KIDOBAN_FIREBASE_HIDE_ADDRESSES")
            }
        }
        return try await configuration()
    }
}
