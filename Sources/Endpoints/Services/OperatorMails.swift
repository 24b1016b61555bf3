package import Identity
import Text

/// The links of mails that operators have sent.
package enum OperatorMails {
    /// Where a user sets a new password.
    package static func resetLink(_ services: Services) -> Confirmations.Link {
        let options = services.restAuth.options
        return { profile, code in
            LinkTemplate.filled(
                options.resetLink, [("{uid}", RestAuthUID.text(profile.number, options)), ("{token}", code.revealedText)])
        }
    }
}
