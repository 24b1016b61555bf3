import Crypto
import HTTP
import Identity
import JOSE
import Routing
import Text

/// What SDKs ask of a project, the keys by which its tokens are verified, and what there is only in the emulator.
extension IdentityToolkit.Core {
    var projectEndpoints: [Endpoint] {
        [
            .object("What a project allows", .get, .key, [Host.toolkit + "/v1/projects", Host.legacy + "/getProjectConfig"]) {
                _ throws(Failure) in
                var answer = JSONObject()
                answer["projectId"] = .string(self.options.projectID)
                answer["authorizedDomains"] = .array(self.domains.map { .string($0) })
                return answer
            },
            .object(
                "Whether a puzzle is asked for", .get, .key,
                [Host.toolkit + "/v1/recaptchaParams", Host.legacy + "/getRecaptchaParam"]
            ) {
                _ throws(Failure) in
                var answer = Self.kind("GetRecaptchaParamResponse")
                answer["recaptchaStoken"] = "none"
                answer["recaptchaSiteKey"] = "none"
                return answer
            },
            .object("Whether a puzzle is asked for", .get, .key, [Host.toolkit + "/v2/recaptchaConfig"]) { _ throws(Failure) in
                var state = JSONObject()
                state["provider"] = "EMAIL_PASSWORD_PROVIDER"
                state["enforcementState"] = "OFF"
                var answer = JSONObject()
                answer["recaptchaEnforcementState"] = .array([.object(state)])
                return answer
            },
            .object("The rule for passwords", .get, .key, [Host.toolkit + "/v2/passwordPolicy"]) { _ throws(Failure) in
                self.passwordPolicy
            },
            .object("The project's configuration", .get, .administrator, [Host.toolkit + "/v2/projects/{project}/config"]) {
                _ throws(Failure) in try await self.configuration()
            },
            .object("Change the configuration", .patch, .administrator, [Host.toolkit + "/v2/projects/{project}/config"]) {
                call throws(Failure) in try await self.changeConfiguration(call)
            },
            Endpoint("Certificates of the keys that sign ID tokens", .get, .everybody, [Host.keys]) { _ throws(Failure) in
                try self.certificates()
            },
            Endpoint(
                "Certificates of the keys that sign session cookies", .get, .everybody, [Host.legacy + "/publicKeys"]
            ) { _ throws(Failure) in try self.certificates() },
            Endpoint(
                "The keys as a JWK Set", .get, .everybody,
                [
                    Host.toolkit + "/v1/sessionCookiePublicKeys",
                    "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
                ]
            ) { _ throws(Failure) in try self.keySet() },
        ]
    }

    private var domains: [String] {
        let own = PercentEncoding.host(of: options.site).map { [$0] } ?? []
        return (options.isEmulator ? ["localhost"] : []) + own.filter { !options.isEmulator || $0 != "localhost" }
            + options.domains
    }

    private var passwordPolicy: JSONObject {
        var rule = JSONObject()
        rule["minPasswordLength"] = .integer(Int64(options.rules.minimumPassword))
        rule["maxPasswordLength"] = .integer(Int64(Password.maximumLength))
        var answer = JSONObject()
        answer["customStrengthOptions"] = .object(rule)
        answer["allowedNonAlphanumericCharacters"] = .array([])
        answer["enforcementState"] = "ENFORCE"
        answer["forceUpgradeOnSignin"] = false
        answer["schemaVersion"] = 1
        return answer
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
    private func changeConfiguration(_ call: Call) async throws(Failure) -> JSONObject {
        func flag(_ names: String...) -> Bool? {
            var fields: Fields? = call.fields
            for name in names.dropLast() { fields = fields?.value(name)?.objectValue.map { Fields($0) } }
            return names.last.flatMap { fields?.flag($0) }
        }
        func refusal(_ setting: String) -> Failure {
            Failure("OPERATION_NOT_ALLOWED", "This is a setting of the server, \(setting).")
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
        if let hides = flag("emailPrivacyConfig", "enableImprovedEmailPrivacy") {
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

    private static let kept: ResponseFields = ["Cache-Control": "public, max-age=3600, must-revalidate"]

    private func keySet() throws(Failure) -> Response {
        do throws(IdentityError) {
            return .json(.ok, try services.keys.current().rendered, fields: Self.kept)
        } catch {
            throw Failure(error)
        }
    }

    /// Verifiers read the key out of the certificate, and nothing else.
    private func certificates() throws(Failure) -> Response {
        do throws(IdentityError) {
            let certificates = try services.keys.current().certificates(of: .rs256, at: api.system.now())
            return .json(.ok, JSONValue.object(certificates).serialized, fields: Self.kept)
        } catch {
            throw Failure(error)
        }
    }

    // MARK: The rest

    var otherEndpoints: [Endpoint] {
        unavailableEndpoints + (options.isEmulator ? emulatorEndpoints : []) + [
            Endpoint("A token for a service account", .post, .everybody, [IdentityToolkit.ServiceAccounts.tokenPath]) {
                call throws(Failure) in
                await IdentityToolkit.ServiceAccounts(self.services, self.api).token(call)
            },
            .object("Give up what Apple has given", .post, .key, [Host.toolkit + "/v2/accounts:revokeToken"]) {
                call throws(Failure) in try await self.revokeToken(call)
            },
        ]
    }

    /// Has Apple revoke what the app got for its user: as a rule just before the account is deleted.
    private func revokeToken(_ call: Call) async throws(Failure) -> JSONObject {
        guard call.fields.nonEmpty("providerId") == "apple.com" else { throw Failure("INVALID_PROVIDER_ID") }
        guard let idToken = call.fields.secret("idToken") else { throw Failure("MISSING_ID_TOKEN") }
        guard let token = call.fields.secret("token") else { throw Failure("INVALID_REQUEST", "The token is missing.") }
        let kind: AuthorizationCodes.Revocable
        switch call.fields.nonEmpty("tokenType") {
        case "3", "CODE", nil: kind = .code
        case "2", "ACCESS_TOKEN": kind = .accessToken
        case "1", "REFRESH_TOKEN": kind = .refreshToken
        default: throw Failure("INVALID_REQUEST", "The type of the token is not known.")
        }
        let user = try await tokens.holder(of: idToken).user.user
        try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.countProof(call.caller)
            guard let identity = try await services.accounts.identities(of: user.id).first(where: { $0.provider == .apple })
            else { throw .identityNotFound }
            let clientID =
                identity.audience.isEmpty
                ? services.federation.provider(.apple)?.clientIDs.first ?? "" : identity.audience
            try await services.codes.revoke(
                token, kind, of: ProviderGrant(provider: .apple, subject: identity.subject, clientID: clientID))
        }
        return JSONObject()
    }

    /// Phones and second factors.
    private var unavailableEndpoints: [Endpoint] {
        let refused = [
            "/v1/accounts:signInWithPhoneNumber", "/v1/accounts:sendVerificationCode", "/v2/accounts/mfaEnrollment:start",
            "/v2/accounts/mfaEnrollment:finalize", "/v2/accounts/mfaEnrollment:withdraw", "/v2/accounts/mfaSignIn:start",
            "/v2/accounts/mfaSignIn:finalize", "/v2/accounts/passkeyEnrollment:start", "/v2/accounts/passkeyEnrollment:finalize",
            "/v2/accounts/passkeySignIn:start", "/v2/accounts/passkeySignIn:finalize",
        ].map { Host.toolkit + $0 }
        let phones = ["\(Host.legacy)/verifyPhoneNumber", "\(Host.legacy)/sendVerificationCode"]
        return [
            Endpoint("Not offered", .post, .key, refused + phones) { _ throws(Failure) in
                throw Failure("OPERATION_NOT_ALLOWED")
            },
            Endpoint("Not offered: apps sign out by themselves", .post, .key, ["\(Host.legacy)/signOutUser"]) {
                _ throws(Failure) in
                throw Failure.notImplemented
            },
            Endpoint(
                "Not offered: there are no tenants", .post, .key,
                [Host.toolkit + "/v1/projects/{project}/tenants/{tenant}/{method}"]
            ) {
                _ throws(Failure) in throw Failure("UNSUPPORTED_TENANT_OPERATION")
            },
            Endpoint(
                "Not offered: there are no tenants", .get, .administrator,
                [Host.toolkit + "/v1/projects/{project}/tenants/{tenant}/{method}"]
            ) {
                _ throws(Failure) in throw Failure("UNSUPPORTED_TENANT_OPERATION")
            },
        ]
    }

    // MARK: The emulator

    private var emulatorEndpoints: [Endpoint] {
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
                    try await self.accounts.forgetCodes()
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
