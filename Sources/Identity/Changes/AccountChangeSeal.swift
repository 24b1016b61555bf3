package import Crypto
import Text

/// Encrypts what an account was like before a change, bound to the change's id.
package struct AccountChangeSeal: Sendable {
    private let key: SymmetricKey

    package init(_ masterKey: MasterKey) throws(CryptoError) {
        key = try masterKey.derive(.accountChanges)
    }

    /// - Throws: `IdentityError.internalFault` when the cipher fails.
    func seal(_ before: WaysIn, of id: UUID) throws(IdentityError) -> [UInt8] {
        do throws(CryptoError) {
            return try AESGCM.seal(before.stored, key: key, additionalData: Array(id.description.utf8))
        } catch {
            throw .internalFault
        }
    }

    /// - Throws: `IdentityError.internalFault` for another master key, another change, or damaged bytes.
    func open(_ sealed: [UInt8], of id: UUID) throws(IdentityError) -> WaysIn {
        let opened: [UInt8]
        do throws(CryptoError) {
            opened = try AESGCM.open(sealed, key: key, additionalData: Array(id.description.utf8))
                .withBytes { span in span.indices.map { span[$0] } }
        } catch {
            throw .internalFault
        }
        guard let before = WaysIn(stored: opened) else { throw .internalFault }
        return before
    }
}
