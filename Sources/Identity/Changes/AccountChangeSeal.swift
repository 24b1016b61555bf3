package import Crypto
import Text

/// Encrypts what an account was like before a change, bound to the change's id.
package struct AccountChangeSeal: Sendable {
    private let sealer: Sealer

    package init(_ masterKey: MasterKey) throws(CryptoError) {
        sealer = try Sealer(masterKey, .accountChanges)
    }

    /// - Throws: `IdentityError.internalFault` when the cipher fails.
    func seal(_ before: WaysIn, of id: UUID) throws(IdentityError) -> [UInt8] {
        do throws(CryptoError) {
            return try sealer.seal(before.stored, boundTo: Array(id.description.utf8))
        } catch {
            throw .fault()
        }
    }

    /// - Throws: `IdentityError.internalFault` for other master keys, another change, or damaged bytes.
    func open(_ sealed: [UInt8], of id: UUID) throws(IdentityError) -> WaysIn {
        let opened: [UInt8]
        do throws(CryptoError) {
            opened = try sealer.open(sealed, boundTo: Array(id.description.utf8))
                .withBytes { span in span.indices.map { span[$0] } }
        } catch {
            throw .fault()
        }
        guard let before = WaysIn(stored: opened) else { throw .fault() }
        return before
    }
}
