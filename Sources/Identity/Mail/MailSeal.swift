package import Crypto
import Text

/// Encrypts what is secret of a mail for as long as it waits, bound to the mail's id.
package struct MailSeal: Sendable {
    private let key: SymmetricKey

    package init(_ masterKey: MasterKey) throws(CryptoError) {
        key = try masterKey.derive(.mail)
    }

    /// - Throws: `IdentityError.internalFault` when the cipher fails.
    func seal(_ mail: Mail) throws(IdentityError) -> [UInt8] {
        do throws(CryptoError) {
            return try AESGCM.seal(mail.link.revealedBytes, key: key, additionalData: Array(mail.id.description.utf8))
        } catch {
            throw .fault()
        }
    }

    /// - Throws: `IdentityError.internalFault` for another master key, another mail, or damaged bytes.
    func open(_ sealed: [UInt8], of id: UUID) throws(IdentityError) -> SecretString {
        do throws(CryptoError) {
            let opened = try AESGCM.open(sealed, key: key, additionalData: Array(id.description.utf8))
            return SecretString(
                opened.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) })
        } catch {
            throw .fault()
        }
    }
}
