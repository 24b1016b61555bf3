#if canImport(Security)
public import Foundation
import Security

/// An item in the Keychain, readable after the first unlock and only on this device: it is in no backup and on no other device.
public struct KeychainTokenStorage: TokenStorage {
    public struct Failure: Error, Sendable, Equatable {
        /// An `OSStatus`. `errSecInteractionNotAllowed` before the first unlock, for example.
        public let status: Int32
    }

    private let service: String
    private let account: String
    private let accessGroup: String?
    private let usesDataProtection: Bool

    /// - Parameters:
    ///   - service: the app's, for example its bundle identifier.
    ///   - accessGroup: shared with the app's extensions.
    ///   - usesDataProtection: of interest on macOS only, where an app without an entitlement for it has to say false.
    public init(
        service: String, account: String = "kidoban", accessGroup: String? = nil, usesDataProtection: Bool = true
    ) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
        self.usesDataProtection = usesDataProtection
    }

    public func load() throws -> Data? {
        var query = item
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        switch status {
        case errSecSuccess: return found as? Data
        case errSecItemNotFound: return nil
        default: throw Failure(status: status)
        }
    }

    public func save(_ data: Data) throws {
        let change: [String: Any] = [
            kSecValueData as String: data,
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        var status = SecItemUpdate(item as CFDictionary, change as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(item.merging(change) { _, new in new } as CFDictionary, nil)
        }
        if status == errSecDuplicateItem {
            // An extension of the app has added it in between.
            status = SecItemUpdate(item as CFDictionary, change as CFDictionary)
        }
        guard status == errSecSuccess else { throw Failure(status: status) }
    }

    public func remove() throws {
        let status = SecItemDelete(item as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw Failure(status: status) }
    }

    private var item: [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
        if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        if usesDataProtection { query[kSecUseDataProtectionKeychain as String] = true }
        return query
    }
}
#endif
