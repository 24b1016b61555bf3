public import Foundation

/// The signed-in user, as the server last described them.
public struct User: Sendable, Equatable, Identifiable {
    /// Never changes and is never used again. Whatever an app keeps about a user, it keeps under this.
    public let id: String
    public let email: String?
    public let isEmailVerified: Bool
    public let name: String?
    public let photoURL: URL?
    /// The provider of the user's oldest identity, `apple` or `google` for example.
    public let provider: String?
    public let settings: UserSettings
    public let createdAt: Date
    public let updatedAt: Date
}

public struct UserSettings: Sendable, Equatable, Codable {
    public var usesBiometrics: Bool
    public var backsUpAutomatically: Bool
    /// `dark` or `light`.
    public var theme: String

    public init(usesBiometrics: Bool = false, backsUpAutomatically: Bool = false, theme: String = "dark") {
        self.usesBiometrics = usesBiometrics
        self.backsUpAutomatically = backsUpAutomatically
        self.theme = theme
    }

    private enum CodingKeys: String, CodingKey {
        case usesBiometrics = "biometric_enabled"
        case backsUpAutomatically = "auto_backup"
        case theme
    }
}

extension User: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, email, name, provider = "oauth_provider", settings
        case isEmailVerified = "email_verified"
        case photoURL = "photo_url"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        // A user without an address has an empty one on the wire, because older apps need a text there.
        email = try members.decodeIfPresent(String.self, forKey: .email).flatMap { $0.isEmpty ? nil : $0 }
        isEmailVerified = try members.decodeIfPresent(Bool.self, forKey: .isEmailVerified) ?? false
        name = try members.decodeIfPresent(String.self, forKey: .name)
        photoURL = try members.decodeIfPresent(String.self, forKey: .photoURL).flatMap { URL(string: $0) }
        provider = try members.decodeIfPresent(String.self, forKey: .provider)
        settings = try members.decodeIfPresent(UserSettings.self, forKey: .settings) ?? UserSettings()
        createdAt = try WireTime.decode(members, .createdAt)
        updatedAt = try WireTime.decode(members, .updatedAt)
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encodeIfPresent(email, forKey: .email)
        try members.encode(isEmailVerified, forKey: .isEmailVerified)
        try members.encodeIfPresent(name, forKey: .name)
        try members.encodeIfPresent(photoURL?.absoluteString, forKey: .photoURL)
        try members.encodeIfPresent(provider, forKey: .provider)
        try members.encode(settings, forKey: .settings)
        try members.encode(WireTime.text(createdAt), forKey: .createdAt)
        try members.encode(WireTime.text(updatedAt), forKey: .updatedAt)
    }
}

/// One sign-in of the user, on this device or on another.
public struct Device: Sendable, Equatable, Identifiable, Decodable {
    public let id: String
    /// The `User-Agent` at the sign-in: text that anybody may have written.
    public let name: String
    /// Whence it began: an IPv4 /24 or an IPv6 /48.
    public let network: String?
    public let createdAt: Date
    public let lastUsedAt: Date
    public let expiresAt: Date
    /// Whether it is this one.
    public let isCurrent: Bool

    private enum CodingKeys: String, CodingKey {
        case id, name = "device", network, isCurrent = "current"
        case createdAt = "created_at"
        case lastUsedAt = "last_used_at"
        case expiresAt = "expires_at"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        name = try members.decode(String.self, forKey: .name)
        network = try members.decodeIfPresent(String.self, forKey: .network)
        createdAt = try WireTime.decode(members, .createdAt)
        lastUsedAt = try WireTime.decode(members, .lastUsedAt)
        expiresAt = try WireTime.decode(members, .expiresAt)
        isCurrent = try members.decode(Bool.self, forKey: .isCurrent)
    }
}

/// Times as JavaScript writes them: UTC with three digits of a fraction. Foundation's `.iso8601` strategies refuse the fraction.
enum WireTime {
    static func decode<Key>(_ members: KeyedDecodingContainer<Key>, _ key: Key) throws -> Date {
        let text = try members.decode(String.self, forKey: key)
        guard let date = formatter.date(from: text) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: members, debugDescription: "no time")
        }
        return date
    }

    /// Formatters cut a fraction off instead of rounding it, and most milliseconds are a little less than they say.
    static func text(_ date: Date) -> String { formatter.string(from: date + 0.000_1) }

    /// Made each time: formatters are not `Sendable`.
    private static var formatter: ISO8601DateFormatter {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter
    }
}
