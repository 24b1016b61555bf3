import HTTP
import Identity
import Text

/// What SDKs ask of a project before anybody signs in: what never changes while the server runs.
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
        ]
    }

    var domains: [String] {
        let own = LinkHost.named(in: options.site).map { [$0] } ?? []
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
}
