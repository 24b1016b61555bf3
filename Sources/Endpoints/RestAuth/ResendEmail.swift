import HTTP

extension RestAuth {
    /// `POST registration/resend-email/`: has the verification mail sent once more (contract §4). The answer does not say whether there was
    /// anybody to send it to.
    struct ResendEmail: MailRequest {
        static let summary = "Have the verification mail sent once more"
        static let sent = (text: Sentence.ok, english: "ok")

        let path = "/registration/resend-email/"

        let services: Services
        let mailer: Mailer

        func ask(_ email: String, _ request: Request, _ words: Words) async throws(Failure) {
            try await mailer.requestVerification(email, request, words)
        }
    }
}
