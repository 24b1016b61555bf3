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
            let detail = mail.detail.isEmpty ? [] : Array("\n\(mail.detail)".utf8)
            return try AESGCM.seal(
                mail.link.revealedBytes + detail, key: key, additionalData: Array(mail.id.description.utf8))
        } catch {
            throw .internalFault
        }
    }

    /// What was sealed: the link, and the detail after a line break if there is one.
    /// - Throws: `IdentityError.internalFault` for another master key, another mail, or damaged bytes.
    func open(_ sealed: [UInt8], of id: UUID) throws(IdentityError) -> (link: SecretString, detail: String) {
        do throws(CryptoError) {
            let opened = try AESGCM.open(sealed, key: key, additionalData: Array(id.description.utf8))
            let text = opened.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
            let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            return (SecretString(String(parts[0])), parts.count == 1 ? "" : String(parts[1]))
        } catch {
            throw .internalFault
        }
    }
}
