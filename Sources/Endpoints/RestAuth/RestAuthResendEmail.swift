import HTTP

/// `POST registration/resend-email/`: has the verification mail sent once more (contract §4). The answer does not say whether there was
/// anybody to send it to.
struct RestAuthResendEmail: RestAuthMailRequest {
    static let summary = "Have the verification mail sent once more"
    static let sent = (text: RestAuthText.ok, english: "ok")

    let path = "/registration/resend-email/"

    let services: Services
    let mailer: RestAuthMailer

    func ask(_ email: String, _ request: Request, _ words: RestAuthWords) async throws(RestAuthError) {
        try await mailer.requestVerification(email, request, words)
    }
}
