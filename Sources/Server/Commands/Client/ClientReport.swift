import Endpoints
import Identity
import Text

/// What the commands print of clients.
struct ClientReport {
    let now: Timestamp
    let configuration: Configuration

    /// A line for each; one whose secret has been replaced and is good for a while yet says until when.
    func table(_ records: [ClientRecord]) -> String {
        guard !records.isEmpty else { return "" }
        return TextTable.render(
            ["ID", "NAME", "KIND", "AUTHENTICATION", "AUDIENCES", "STATE"],
            records.map { record in
                let client = record.client
                return [
                    client.id.text, client.name, client.kind.rawValue, client.authenticationMethod.rawValue,
                    client.audiences.joined(separator: " "), state(client),
                ]
            })
    }

    private func state(_ client: Client) -> String {
        var parts: [String] = []
        if let since = client.disabledAt { parts.append("disabled since \(since.brief)") }
        if client.mayIntrospect { parts.append("introspects") }
        if let old = client.previousSecret {
            parts.append("old secret good until \(now.adding(old.remaining).brief), \(Self.uses(of: old))")
        }
        return parts.joined(separator: "; ")
    }

    static func uses(of secret: PreviousSecret) -> String {
        guard let last = secret.lastUse else { return "not used since" }
        return "used \(secret.uses) times since, last at \(last.brief)"
    }

    /// All that is registered of one.
    func page(_ record: ClientRecord) -> String {
        let document = document(record)
        return TextTable.render(document.members.map { ($0.key, Self.text($0.value)) })
    }

    /// The same for machines: the members are those of RFC 7591 where it has one.
    func document(_ record: ClientRecord) -> JSONObject {
        let client = record.client
        var document = client.columns
        document["application_type"] = .string(client.kind.applicationType)
        document["registered_by"] = client.registration == .byOperator ? "operator" : "itself"
        document["disabled_at"] = client.disabledAt.map { .string($0.iso8601) }
        document["previous_secret_good_until"] = client.previousSecret.map { .string(now.adding($0.remaining).iso8601) }
        document["previous_secret_uses"] = client.previousSecret.map { .integer(Int64($0.uses)) }
        document["previous_secret_used_at"] = client.previousSecret?.lastUse.map { .string($0.iso8601) }
        document["created_at"] = .string(record.createdAt.iso8601)
        document["updated_at"] = .string(record.updatedAt.iso8601)
        return document
    }

    /// The fields that differ.
    static func changes(from before: Client, to after: Client) -> [(field: String, before: String, after: String)] {
        let (old, new) = (before.columns, after.columns)
        let names = old.members.map(\.key) + new.members.map(\.key).filter { old[$0] == nil }
        return names.filter { old[$0] != new[$0] }.map { ($0, text(old[$0] ?? .null), text(new[$0] ?? .null)) }
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "-"
        case .string(let text): text.printable
        case .array(let values) where values.isEmpty: "-"
        case .array(let values): values.map(text).joined(separator: " ")
        case .bool, .integer, .double, .object: String(decoding: value.serialized, as: UTF8.self).printable
        }
    }

    /// Whose tokens a client sees that introspects: those for its audiences, whoever gets them.
    ///
    /// - Parameter clients: all that are registered.
    func sight(of client: Client, among clients: [Client]) -> String {
        let id = client.id
        guard !client.audiences.contains(Client.anyAudience) else {
            return "\(id) sees the tokens of every client, whatever their audience"
        }
        let givers = givers(clients)
        let lines = client.audiences.map { audience in
            let names = givers.filter { $0.audiences.contains(audience) }.map(\.name)
            return names.isEmpty
                ? "warning: no client gets tokens for the audience \(audience), so \(id) sees every such token as inactive"
                : "\(id) sees the tokens for the audience \(audience), which these clients get: \(names.joined(separator: ", "))"
        }
        let isBlind = !givers.contains { giver in giver.audiences.contains { client.audiences.contains($0) } }
        let hint =
            isBlind
            ? [
                "the apps' own tokens are for \(configuration.audience): add --audience \(configuration.audience) to see them, or give a client the audience with `kidoban client update ID --audience …`"
            ] : []
        return (lines + hint).joined(separator: "\nkidoban: ")
    }

    /// Who gets tokens, and for whom.
    private func givers(_ clients: [Client]) -> [(name: String, audiences: [String])] {
        let apps = [configuration.audience] + configuration.tokens.furtherAudiences
        let builtIn = ClientCommand.builtInIDs.compactMap { id -> (name: String, audiences: [String])? in
            guard id == SharedParts.firebaseID else { return (id, apps) }
            return configuration.firebase.project.map { (id, [$0]) }
        }
        return builtIn
            + clients.filter { $0.getsTokens && !$0.isDisabled }.map { client in
                (client.id.text, client.tokenAudiences.isEmpty ? [configuration.audience] : client.tokenAudiences)
            }
    }
}
