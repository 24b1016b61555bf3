import HTTP
import Identity
import Text

/// Configurations of OpenID and SAML providers, as the Admin SDKs write them.
///
/// What an administrator writes is kept and given back, and signs nobody in: an operator configures OpenID providers by settings of the
/// server, which nobody else changes, and there is no SAML.
extension IdentityToolkit.Core {
    var providerConfigurationEndpoints: [Endpoint] {
        ProviderKind.allCases.flatMap { kind -> [Endpoint] in
            let collection = Host.toolkit + "/v2/projects/{project}/\(kind.rawValue)"
            let one = collection + "/{provider}"
            return [
                Endpoint.object("List providers", .get, .administrator, [collection]) { call throws(Failure) in
                    try await self.providerConfigurations(kind, call.query)
                },
                .object("Keep a provider", .post, .administrator, [collection]) { call throws(Failure) in
                    try await self.createConfiguration(kind, call)
                },
                .object("A provider", .get, .administrator, [one]) { call throws(Failure) in
                    try await self.configuration(kind, kind.name(call))
                },
                .object("Change a provider", .patch, .administrator, [one]) { call throws(Failure) in
                    try await self.changeConfiguration(kind, call)
                },
                .object("Forget a provider", .delete, .administrator, [one]) { call throws(Failure) in
                    try await self.deleteConfiguration(kind, call)
                },
            ]
        }
    }

    private func providerConfigurations(_ kind: ProviderKind, _ query: Fields) async throws(Failure) -> JSONObject {
        let count = Int(query.integer("pageSize") ?? 100)
        guard (1...100).contains(count) else { throw Failure("INVALID_PAGE_SELECTION") }
        let last = query.nonEmpty("pageToken") ?? ""
        let set = settings(kind)
        let kept = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await api.providers.page(beginning: kind.namePrefix, after: last, count: count + 1)
        }
        // A setting goes before what was written under its name.
        let names = Set(set.map(\.configurationName))
        let found = (set.filter { $0.configurationName > last } + kept.filter { !names.contains($0.configurationName) })
            .sorted { $0.configurationName < $1.configurationName }
        var answer = JSONObject()
        let page = found.prefix(count)
        if !page.isEmpty { answer[kind.rawValue] = .array(page.map { .object($0) }) }
        if page.count < found.count, let end = page.last { answer["nextPageToken"] = .string(end.configurationName) }
        return answer
    }

    private func configuration(_ kind: ProviderKind, _ name: String) async throws(Failure) -> JSONObject {
        if let set = settings(kind).first(where: { $0.configurationName == name }) { return set }
        let kept = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await api.providers.configuration(name)
        }
        guard let kept else { throw Failure("CONFIGURATION_NOT_FOUND") }
        return kept
    }

    private func createConfiguration(_ kind: ProviderKind, _ call: Call) async throws(Failure) -> JSONObject {
        guard let name = call.query.nonEmpty(kind.nameParameter), kind.isName(name) else { throw Failure("INVALID_CONFIG_ID") }
        try mayWrite(kind, name)
        var made = JSONObject()
        made["name"] = .string("projects/\(options.projectID)/\(kind.rawValue)/\(name)")
        for (member, _) in kind.members { made = Self.copy([member], of: call.fields.object, into: made) }
        if made["enabled"] == nil { made["enabled"] = false }
        let configuration = try kind.checked(made)
        let outcome = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await api.providers.add(configuration, named: name, by: api.client, caller: call.caller)
        }
        return try Self.answer(outcome)
    }

    private func changeConfiguration(_ kind: ProviderKind, _ call: Call) async throws(Failure) -> JSONObject {
        let name = try kind.name(call)
        try mayWrite(kind, name)
        let mask = call.query.nonEmpty("updateMask")?.split(separator: ",").map(String.init)
        let paths = (mask ?? call.fields.object.members.map(\.key)).map { $0.split(separator: ".").map(String.init) }
            .filter { $0.count <= 2 && kind.members.map(\.name).contains($0.first) }
        let outcome = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await api.providers.change(name, by: api.client, caller: call.caller) { before in
                let changed = paths.reduce(before) { Self.copy($1[...], of: call.fields.object, into: $0) }
                return Result { () throws(Failure) in try kind.checked(changed) }
            }
        }
        return try Self.answer(outcome)
    }

    private func deleteConfiguration(_ kind: ProviderKind, _ call: Call) async throws(Failure) -> JSONObject {
        let name = try kind.name(call)
        try mayWrite(kind, name)
        let wasThere = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await api.providers.remove(name, by: api.client, caller: call.caller)
        }
        guard wasThere else { throw Failure("CONFIGURATION_NOT_FOUND") }
        return JSONObject()
    }

    private static func answer<Refusal>(_ outcome: ProjectProviders.Outcome<Refusal>) throws(Failure) -> JSONObject {
        switch outcome {
        case .written(let configuration): return configuration
        case .refused(let refusal): throw refusal as? Failure ?? Failure("INVALID_CONFIG")
        case .exists: throw Failure("CONFIGURATION_EXISTS")
        case .absent: throw Failure("CONFIGURATION_NOT_FOUND")
        case .tooMany: throw Failure("QUOTA_EXCEEDED")
        case .tooLarge: throw Failure("INVALID_CONFIG")
        }
    }

    private func mayWrite(_ kind: ProviderKind, _ name: String) throws(Failure) {
        guard !settings(kind).contains(where: { $0.configurationName == name }) else {
            throw Failure("OPERATION_NOT_ALLOWED", "This is a setting of the server, KIDOBAN_PROVIDERS.")
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
        var namePrefix: String { self == .openID ? "oidc." : "saml." }

        enum Form { case text, flag, object }

        var members: [(name: String, form: Form)] {
            [("displayName", .text), ("enabled", .flag)]
                + (self == .openID
                    ? [("clientId", .text), ("issuer", .text), ("clientSecret", .text), ("responseType", .object)]
                    : [("idpConfig", .object), ("spConfig", .object)])
        }

        /// What each must have, and what is said if it has not.
        private var needed: [(member: String, code: String)] {
            self == .openID
                ? [("clientId", "MISSING_OAUTH_CLIENT_ID"), ("issuer", "MISSING_ISSUER")]
                : [("idpConfig", "MISSING_CONFIG"), ("spConfig", "MISSING_SAML_RELYING_PARTY_CONFIG")]
        }

        func checked(_ configuration: JSONObject) throws(Failure) -> JSONObject {
            for (member, code) in needed where configuration[member] == nil { throw Failure(code) }
            for (name, form) in members {
                guard let value = configuration[name] else { continue }
                let isOfForm =
                    switch form {
                    case .text: value.stringValue != nil
                    case .flag: value.boolValue != nil
                    case .object: value.objectValue != nil
                    }
                guard isOfForm else { throw .argument("Invalid value at '\(name)'.") }
            }
            return configuration
        }

        func isName(_ text: String) -> Bool {
            text.hasPrefix(namePrefix) && ProviderID(String(text.dropFirst(namePrefix.count))) != nil
        }

        func name(_ call: Call) throws(Failure) -> String {
            guard let name = call.request.pathParameters.last, isName(name) else { throw Failure("CONFIGURATION_NOT_FOUND") }
            return name
        }
    }
}

extension JSONObject {
    /// The last part of the name of a resource of Google's APIs.
    fileprivate var configurationName: String {
        self["name"]?.stringValue?.split(separator: "/").last.map { String($0) } ?? ""
    }
}
