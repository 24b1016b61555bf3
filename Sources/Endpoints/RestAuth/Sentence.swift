import HTTP
import Identity
import Text

extension RestAuth {
    /// Every sentence that this API says.
    enum Sentence: Sendable {
        enum TokenHeaderFault: Sendable {
            case empty, spaces, characters
        }

        enum TokenFault: Sendable {
            case invalid, expired, blacklisted, wrongType
        }

        // Of one field.
        case required, null, blank, notString, nullCharacters
        case tooLong(Int)
        case invalidEmail, invalidUsername, usernameTaken, emailTaken, invalidValue
        case password(InputProblem.Reason)
        case formMismatch, registrationMismatch, wrongOldPassword

        // Of a form as a whole.
        case invalidCredentials, accountDisabled, emailNotVerified
        case mustInclude(Options.LoginName)
        case notDictionary(String), noData
        case missingSocialToken, incorrectValue, socialEmailTaken, lastSignInMethod, socialAccountTaken

        // That something is done.
        case loggedOut, passwordSaved, resetSent, passwordReset, verificationSent, ok, disconnected
        case tokenNotDeleted

        // About whose request it is.
        case notProvided, invalidToken, inactiveUser
        case tokenHeader(TokenHeaderFault)
        case bearerNeedsTwoParts
        case jwtHeader(TokenHeaderFault)
        case jwtUndecodable, jwtExpired
        case token(TokenFault)
        case notValidForAnyType, userNotFound, userIsInactive, noRefreshToken, refreshMissingInRequest, refreshMissingInCookies
        case notLoggedIn
        case crossSite

        // About the request itself.
        case parseError, methodNotAllowed(String), notFound, unsupportedMediaType(String)
        /// For so many seconds.
        case throttled(Int64)
        case badRequest(StaticString), unavailable, serverError, forbidden

        init(_ problem: InputProblem) {
            switch (problem.field, problem.reason) {
            case (.email, .malformed): self = .invalidEmail
            case (.username, .malformed): self = .invalidUsername
            case (.username, .tooLong(let maximum)): self = .tooLong(maximum)
            case (_, let reason): self = .password(reason)
            }
        }

        func text(_ language: AcceptedLanguage, _ options: Options) -> String {
            switch language {
            case .english: english(options)
            case .japanese: japanese ?? (options.japanese == .all ? ownJapanese : nil) ?? english(options)
            }
        }

        private func english(_ options: Options) -> String {
            let isNew = options.dialect == .djRestAuth
            return switch self {
            case .required: "This field is required."
            case .null: "This field may not be null."
            case .blank: "This field may not be blank."
            case .notString: "Not a valid string."
            case .nullCharacters: "Null characters are not allowed."
            case .tooLong(let maximum): "Ensure this field has no more than \(maximum) characters."
            case .invalidEmail: "Enter a valid email address."
            case .invalidUsername:
                "Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters."
            case .usernameTaken: "A user with that username already exists."
            case .emailTaken: "\(isNew ? "User" : "A user") is already registered with this e-mail address."
            case .invalidValue: "Invalid value"
            case .password(let reason): Self.english(reason)
            case .formMismatch: "The two password fields didn\u{2019}t match."
            case .registrationMismatch: "The two password fields didn't match."
            case .wrongOldPassword:
                isNew ? "Your old password was entered incorrectly. Please enter it again." : "Invalid password"
            case .invalidCredentials: "Unable to log in with provided credentials."
            case .accountDisabled: "User account is disabled."
            case .emailNotVerified: "E-mail is not verified."
            case .mustInclude(let name): Self.english(name)
            case .notDictionary(let type): "Invalid data. Expected a dictionary, but got \(type)."
            case .noData: "No data provided"
            case .missingSocialToken: "Incorrect input. access_token or code is required."
            case .incorrectValue: "Incorrect value"
            case .socialEmailTaken: "User is already registered with this e-mail address."
            case .lastSignInMethod: "Your account has no password set up."
            case .socialAccountTaken: "The social account is already connected to a different account."
            case .loggedOut: "Successfully logged out."
            case .passwordSaved: "New password has been saved."
            case .resetSent: "Password reset e-mail has been sent."
            case .passwordReset: "Password has been reset with the new password."
            case .verificationSent: "Verification e-mail sent."
            case .ok: "ok"
            case .disconnected: "Social account disconnected."
            case .tokenNotDeleted:
                "Neither cookies or blacklist are enabled, so the token has not been deleted server side. "
                    + "Please make sure the token is deleted client side."
            case .notProvided, .invalidToken, .inactiveUser, .tokenHeader, .bearerNeedsTwoParts, .jwtHeader, .jwtUndecodable,
                .jwtExpired, .token, .notValidForAnyType, .userNotFound, .userIsInactive, .noRefreshToken,
                .refreshMissingInRequest, .refreshMissingInCookies, .notLoggedIn, .crossSite:
                englishOfCaller
            case .parseError, .methodNotAllowed, .notFound, .unsupportedMediaType, .throttled, .badRequest, .unavailable,
                .serverError,
                .forbidden:
                englishOfRequest
            }
        }

        /// What is said about whose request it is; empty for all else.
        private var englishOfCaller: String {
            switch self {
            case .notProvided: "Authentication credentials were not provided."
            case .invalidToken: "Invalid token."
            case .inactiveUser: "User inactive or deleted."
            case .tokenHeader(let fault): "Invalid token header. \(Self.english(fault, "Token"))"
            case .bearerNeedsTwoParts: "Authorization header must contain two space-delimited values"
            case .jwtHeader(let fault): "Invalid Authorization header. \(Self.english(fault, "Credentials"))"
            case .jwtUndecodable: "Error decoding signature."
            case .jwtExpired: "Signature has expired."
            case .token(let fault): Self.english(fault)
            case .notValidForAnyType: "Given token not valid for any token type"
            case .userNotFound: "User not found"
            case .userIsInactive: "User is inactive"
            case .noRefreshToken: "No valid refresh token found."
            case .refreshMissingInRequest: "Refresh token was not included in request data."
            case .refreshMissingInCookies: "Refresh token was not included in cookie data."
            case .notLoggedIn: "You should be logged in to logout. Check whether the token is passed."
            case .crossSite: "CSRF Failed: Origin checking failed."
            default: ""
            }
        }

        /// What is said about the request itself; empty for all else.
        private var englishOfRequest: String {
            switch self {
            case .parseError: "JSON parse error - Expecting value: line 1 column 1 (char 0)"
            case .methodNotAllowed(let method): "Method \"\(method)\" not allowed."
            case .notFound: "Not found."
            case .unsupportedMediaType(let type): "Unsupported media type \"\(type)\" in request."
            case .throttled(let seconds):
                "Request was throttled. Expected available in \(seconds) second\(seconds == 1 ? "" : "s")."
            case .badRequest(let reason): "Bad request: \(reason)."
            case .unavailable: "Service temporarily unavailable, try again later."
            case .serverError: "A server error occurred."
            case .forbidden: "You do not have permission to perform this action."
            default: ""
            }
        }

        private static func english(_ fault: TokenFault) -> String {
            switch fault {
            case .invalid: "Token is invalid"
            case .expired: "Token is expired"
            case .blacklisted: "Token is blacklisted"
            case .wrongType: "Token has wrong type"
            }
        }

        private static func english(_ name: Options.LoginName) -> String {
            switch name {
            case .email: "Must include \"email\" and \"password\"."
            case .username: "Must include \"username\" and \"password\"."
            case .either: "Must include either \"username\" or \"email\" and \"password\"."
            }
        }

        /// Django's validators.
        private static func english(_ reason: InputProblem.Reason) -> String {
            switch reason {
            case .tooShort(let minimum): "This password is too short. It must contain at least \(minimum) characters."
            case .commonPassword: "This password is too common."
            case .entirelyNumeric: "This password is entirely numeric."
            case .resembles(let field): "The password is too similar to the \(englishName(field))."
            case .passwordEqualsEmail: "The password is too similar to the email address."
            case .tooLong(let maximum): "Ensure this field has no more than \(maximum) characters."
            case .forbiddenCharacter: "Null characters are not allowed."
            case .malformed: "Not a valid string."
            case .missing: "This field is required."
            }
        }

        private static func english(_ fault: TokenHeaderFault, _ what: String) -> String {
            switch fault {
            case .empty: "No credentials provided."
            case .spaces: "\(what) string should not contain spaces."
            case .characters: "\(what) string should not contain invalid characters."
            }
        }

        private static func englishName(_ field: InputProblem.Field) -> String {
            switch field {
            case .email: "email address"
            case .username: "username"
            case .firstName: "first name"
            case .lastName: "last name"
            case .password, .displayName, .photoURL: "user"
            }
        }
    }
}
