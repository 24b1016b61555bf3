import HTTP
import Identity
import Text

/// Configurations of OpenID and SAML providers, as the Admin SDKs write them.
///
/// An operator configures OpenID providers by settings of the server, and there is no SAML: administrators may read, not write. In the
/// emulator tests may write others, which are given back and sign nobody in.
extension IdentityToolkit.Core {
    var providerConfigurationEndpoints: [Endpoint] {
        ProviderKind.allCases.flatMap { kind -> [Endpoint] in
            let collection = Host.toolkit + "/v2/projects/{project}/\(kind.rawValue)"
            let one = collection + "/{provider}"
            return [
                Endpoint.object("List providers", .get, .administrator, [collection]) { call throws(Failure) in
                    try await self.providerConfigurations(kind, call.query)
                },
                .object("Configure a provider, in the emulator", .post, .administrator, [collection]) { call throws(Failure) in
                    try await self.createConfiguration(kind, call)
                },
                .object("A provider", .get, .administrator, [one]) { call throws(Failure) in
                    try await self.configuration(kind, kind.name(call))
                },
                .object("Change a provider, in the emulator", .patch, .administrator, [one]) { call throws(Failure) in
                    try await self.changeConfiguration(kind, call)
                },
                .object("Delete a provider, in the emulator", .delete, .administrator, [one]) { call throws(Failure) in
                    try await self.deleteConfiguration(kind, kind.name(call))
                },
            ]
        }
    }

    private func providerConfigurations(_ kind: ProviderKind, _ query: Fields) async throws(Failure) -> JSONObject {
        let count = query.integer("pageSize") ?? 100
        guard (1...100).contains(count) else { throw Failure("INVALID_PAGE_SELECTION") }
        var found = settings(kind)
        if options.isEmulator {
            let kept = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await accounts.emulatorConfigurations()
            }
            found += kept.filter { $0.configurationName.contains("/\(kind.rawValue)/") }
        }
        let last = query.nonEmpty("pageToken") ?? ""
        found = found.filter { $0.configurationName > last }.sorted { $0.configurationName < $1.configurationName }
        var answer = JSONObject()
        let page = found.prefix(Int(count))
        if !page.isEmpty { answer[kind.rawValue] = .array(page.map { .object($0) }) }
        if page.count < found.count, let end = page.last { answer["nextPageToken"] = .string(end.configurationName) }
        return answer
    }

    private func configuration(_ kind: ProviderKind, _ name: String) async throws(Failure) -> JSONObject {
        if let set = settings(kind).first(where: { $0.configurationName.hasSuffix("/\(name)") }) { return set }
        return try await kept(name)
    }

    private func createConfiguration(_ kind: ProviderKind, _ call: Call) async throws(Failure) -> JSONObject {
        guard let name = call.query.nonEmpty(kind.nameParameter), kind.isName(name) else { throw Failure("INVALID_CONFIG_ID") }
        try mayWrite(kind, name)
        for (member, code) in kind.needed where call.fields.value(member) == nil { throw Failure(code) }
        let existing = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.emulatorConfiguration(name)
        }
        guard existing == nil else { throw Failure("CONFIGURATION_EXISTS") }
        var made = JSONObject()
        made["name"] = .string("projects/\(options.projectID)/\(kind.rawValue)/\(name)")
        for member in kind.members { made = Self.copy([member], of: call.fields.object, into: made) }
        if made["enabled"] == nil { made["enabled"] = false }
        return try await keep(made, name)
    }

    private func changeConfiguration(_ kind: ProviderKind, _ call: Call) async throws(Failure) -> JSONObject {
        let name = try kind.name(call)
        try mayWrite(kind, name)
        var changed = try await kept(name)
        let mask = call.query.nonEmpty("updateMask")?.split(separator: ",").map(String.init)
        for path in mask ?? call.fields.object.members.map(\.key) {
            let names = path.split(separator: ".").map(String.init)
            guard let first = names.first, kind.members.contains(first), names.count <= 2 else { continue }
            changed = Self.copy(names[...], of: call.fields.object, into: changed)
        }
        return try await keep(changed, name)
    }

    private func deleteConfiguration(_ kind: ProviderKind, _ name: String) async throws(Failure) -> JSONObject {
        try mayWrite(kind, name)
        _ = try await kept(name)
        try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.forgetEmulatorConfiguration(name)
        }
        return JSONObject()
    }

    /// What a test has written.
    private func kept(_ name: String) async throws(Failure) -> JSONObject {
        guard options.isEmulator,
            let found = try await Failure.mapIdentityErrors({ () throws(IdentityError) in
                try await accounts.emulatorConfiguration(name)
            })
        else { throw Failure("CONFIGURATION_NOT_FOUND") }
        return found
    }

    private func keep(_ configuration: JSONObject, _ name: String) async throws(Failure) -> JSONObject {
        guard JSONValue.object(configuration).serialized.count <= 32_768 else { throw Failure("INVALID_CONFIG") }
        let hasRoom = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.setEmulator(configuration: configuration, of: name)
        }
        guard hasRoom else { throw Failure("QUOTA_EXCEEDED") }
        return configuration
    }

    private func mayWrite(_ kind: ProviderKind, _ name: String) throws(Failure) {
        let isSet = settings(kind).contains { $0.configurationName.hasSuffix("/\(name)") }
        guard options.isEmulator, !isSet else {
            throw Failure(
                "OPERATION_NOT_ALLOWED",
                kind == .saml ? "SAML is not offered." : "This is a setting of the server, KIDOBAN_PROVIDERS.")
        }
    }

    /// The providers of the server's settings. Google and Apple are none of these.
    private func settings(_ kind: ProviderKind) -> [JSONObject] {
        guard kind == .openID else { return [] }
        return services.federation.providers.filter { $0.id != .google && $0.id != .apple }.map { provider in
            var object = JSONObject()
            object["name"] = .string(
                "projects/\(options.projectID)/\(kind.rawValue)/\(IdentityToolkit.ProviderName.wire(provider.id))")
            object["displayName"] = .string(provider.id.text)
            object["enabled"] = .bool(!provider.clientIDs.isEmpty)
            if let clientID = provider.clientIDs.first { object["clientId"] = .string(clientID) }
            if let issuer = provider.issuers.first { object["issuer"] = .string(issuer) }
            object["responseType"] = .object(JSONObject([JSONObject.Member(key: "idToken", value: true)]))
            return object
        }
    }

    /// Takes one member over; null and nothing take it away.
    private static func copy(_ path: ArraySlice<String>, of change: JSONObject?, into object: JSONObject) -> JSONObject {
        guard let name = path.first else { return object }
        var object = object
        if path.count == 1 {
            let value = change?[name]
            object[name] = value == .null ? nil : value
        } else {
            let inner = object[name]?.objectValue ?? JSONObject()
            object[name] = .object(copy(path.dropFirst(), of: change?[name]?.objectValue, into: inner))
        }
        return object
    }

    /// By the name of the collection.
    private enum ProviderKind: String, CaseIterable, Sendable {
        case openID = "oauthIdpConfigs"
        case saml = "inboundSamlConfigs"

        var nameParameter: String { self == .openID ? "oauthIdpConfigId" : "inboundSamlConfigId" }

        var members: [String] {
            ["displayName", "enabled"]
                + (self == .openID ? ["clientId", "issuer", "clientSecret", "responseType"] : ["idpConfig", "spConfig"])
        }

        /// What a new one must have, and what is said if it has not.
        var needed: [(member: String, code: String)] {
            self == .openID
                ? [("clientId", "MISSING_OAUTH_CLIENT_ID"), ("issuer", "MISSING_ISSUER")]
                : [("idpConfig", "MISSING_CONFIG"), ("spConfig", "MISSING_SAML_RELYING_PARTY_CONFIG")]
        }

        func isName(_ text: String) -> Bool {
            let prefix = self == .openID ? "oidc." : "saml."
            return text.hasPrefix(prefix) && ProviderID(String(text.dropFirst(prefix.count))) != nil
        }

        func name(_ call: Call) throws(Failure) -> String {
            guard let name = call.request.pathParameters.last, isName(name) else { throw Failure("CONFIGURATION_NOT_FOUND") }
            return name
        }
    }
}

extension JSONObject {
    /// The name of a resource of Google's APIs.
    fileprivate var configurationName: String { self["name"]?.stringValue ?? "" }
}
