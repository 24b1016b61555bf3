import HTTP

extension RestAuth {
    /// `POST password/reset/`: has a link sent under which a new password can be set (contract §3.5). The answer is the same for known and
    /// unknown addresses, and takes as long.
    struct RequestReset: MailRequest {
        static let summary = "Have a mail sent with which a new password can be set"
        static let sent = (text: Sentence.resetSent, english: "Password reset e-mail has been sent.")

        let path = "/password/reset/"

        let services: Services
        let mailer: Mailer

        func ask(_ email: String, _ request: Request, _ words: Words) async throws(Failure) {
            try await mailer.requestReset(email, request, words)
        }
    }
}
