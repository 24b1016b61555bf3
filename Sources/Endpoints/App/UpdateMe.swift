import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `PATCH /auth/me`: changes the name, the photo and the settings of the signed-in user. What is absent stays as it is; an
    /// empty text or null removes a name or a photo. Members of other names are ignored, whatever they claim.
    struct UpdateMe: Endpoint {
        static let method = Method.patch
        static let path = "/auth/me"
        static let accepts = AcceptedContent.json

        let services: Services
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let authenticated = try await bearer.authenticate(request, for: .change)
            let (profile, settings) = try Self.read(request)
            // Each is done or not, and the whole may be repeated.
            let (user, set) = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let user = try await services.accounts.change(authenticated.userID, profile, caller: Caller(request))
                return (user, try await services.appSettings.change(settings, of: user.id))
            }
            return Me.response(user, set)
        }

        private static func read(_ request: Request) throws(Failure) -> (Accounts.ProfileChange, AppSettings.Change) {
            // Nothing is required here, so a body that got lost on its way would pass for a change of nothing.
            guard !request.body.isEmpty else { throw .malformedJSON }
            var body = try JSONBody(request)
            var change = Accounts.ProfileChange()
            var chosen = AppSettings.Change()
            change.displayName = removable("name", in: &body.fields)
            change.photoURL = removable("photo_url", in: &body.fields)
            if body.fields.has("settings") {
                _ = body.fields.nested("settings") { settings in
                    chosen.biometricEnabled = settings.optionalBool("biometric_enabled", null: .wrongType)
                    chosen.autoBackup = settings.optionalBool("auto_backup", null: .wrongType)
                    chosen.theme = theme(in: &settings)
                }
            }
            guard body.fields.isClean else { throw .invalidInput(body.issues) }
            return (change, chosen)
        }

        private static func removable(_ key: String, in fields: inout FieldReader) -> String? {
            fields.value(key) == .null ? "" : fields.optionalString(key)
        }

        private static func theme(in settings: inout FieldReader) -> AppSettings.Theme? {
            guard let text = settings.optionalString("theme", null: .wrongType) else { return nil }
            if let theme = AppSettings.Theme(rawValue: text) { return theme }
            settings.add(.notAllowed(options: AppSettings.Theme.allCases.map(\.rawValue)), at: "theme")
            return nil
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Change name, photo and settings", details: "What is absent stays as it is.", security: [BearerUser.scheme],
                body: .required(
                    .object([
                        .optional("name", .string.orNull.described("Empty or `null` removes it.")),
                        .optional(
                            "photo_url",
                            .anyOf([.url, .constant(""), .null]).described(
                                "`https`, at most 2048 bytes; empty or `null` removes it.")
                        ),
                        .optional(
                            "settings",
                            .object([
                                .optional("biometric_enabled", .boolean), .optional("auto_backup", .boolean),
                                .optional("theme", UserObject.theme),
                            ])),
                    ])),
                responses: [.json(.ok, "The user as changed.", UserObject.schema), Failure.invalidInputDocumented]
                    + BearerUser.refusals)
        }
    }
}
