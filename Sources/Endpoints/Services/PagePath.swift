/// Where the pages behind the links in mails are, below their door's prefix. Mails of other doors lead there too.
enum PagePath {
    static let password = "/account/password"
    static let email = "/account/email"
}
