package import Crypto
import Text

/// Encrypts what is secret of a mail for as long as it waits, bound to the mail's id.
package struct MailSeal: Sendable {
    private let sealer: Sealer

    package init(_ masterKey: MasterKey) throws(CryptoError) {
        sealer = try Sealer(masterKey, .mail)
    }

    /// - Throws: `IdentityError.internalFault` when the cipher fails.
    func seal(_ mail: Mail) throws(IdentityError) -> [UInt8] {
        do throws(CryptoError) {
            let detail = mail.detail.isEmpty ? [] : Array("\n\(mail.detail)".utf8)
            return try sealer.seal(mail.link.revealedBytes + detail, boundTo: Array(mail.id.description.utf8))
        } catch {
            throw .fault()
        }
    }

    /// What was sealed: the link, and the detail after a line break if there is one.
    /// - Throws: `IdentityError.internalFault` for other master keys, another mail, or damaged bytes.
    func open(_ sealed: [UInt8], of id: UUID) throws(IdentityError) -> (link: SecretString, detail: String) {
        do throws(CryptoError) {
            let opened = try sealer.open(sealed, boundTo: Array(id.description.utf8))
            let text = opened.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
            let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            return (SecretString(String(parts[0])), parts.count == 1 ? "" : String(parts[1]))
        } catch {
            throw .fault()
        }
    }
}
