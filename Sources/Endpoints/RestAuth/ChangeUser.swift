import HTTP
import Identity
import Routing

extension RestAuth {
    /// `PUT` and `PATCH user/`: changes username and names of the signed-in user. The e-mail address is not changed here,
    /// whatever is sent, and members of other names are ignored.
    struct ChangeUser: Endpoint {
        let path = "/user/"

        let services: Services
        let api: Parts
        let caller: Authenticator
        let method: Method

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            let user = try await caller.authenticate(request, for: .change).user
            let profiles = api.profiles
            // One who has none yet gets it now, to be changed.
            let profile = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await profiles.profile(of: user) }
            var fields = try Fields(request)
            let username = try await username(&fields, of: user, profile, Caller(request))
            let firstName = fields.text(
                "first_name", isRequired: false, allowsBlank: true, maximum: Profile.maximumNameLength)
            let lastName = fields.text("last_name", isRequired: false, allowsBlank: true, maximum: Profile.maximumNameLength)
            try fields.check()
            let changed = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await profiles.change(of: user.id, username: username, firstName: firstName, lastName: lastName)
            }
            return UserDetails.response(user, changed, words)
        }

        private func username(
            _ fields: inout Fields, of user: User, _ profile: Profile, _ caller: Caller
        ) async throws(Failure) -> Username? {
            // To leave it out is not to send it empty, not even in a form.
            let isRequired = method == .put || fields.has("username")
            let text = fields.text("username", isRequired: isRequired, nullCharacters: [.invalidUsername, .nullCharacters])
            // Whatever else is wrong with the request, it tells whether somebody has that name.
            if let text, let wanted = try? Username(text), wanted.folded != profile.username.folded {
                try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    try await services.accounts.permitUsername(askedBy: user, caller: caller)
                }
            }
            return try await UsernameField.check(text, &fields, of: user.id, api.profiles)
        }

        var documentation: RouteDocumentation {
            let name = Routing.Schema.string(0...Profile.maximumNameLength)
            let fields = Routing.Schema.object([
                method == .put ? .required("username", .string) : .optional("username", .string),
                .optional("first_name", name), .optional("last_name", name),
            ])
            return RouteDocumentation(
                "Change username and names of the signed-in user", security: Authenticator.schemes(api.options),
                body: method == .put ? .required(fields) : .optional(fields),
                responses: [.json(.ok, "The user.", UserObject.schema), Failure.fieldsDocumented()]
                    + Authenticator.refusals + [Failure.limitedDocumented])
        }
    }

    /// `username` in a request.
    enum UsernameField {
        /// What is wrong with a name is noted; nil when something is, or nothing was sent.
        static func check(
            _ text: String?, _ fields: inout Fields, of user: UserID?, _ profiles: ProfileStore
        ) async throws(Failure) -> Username? {
            guard let text else { return nil }
            let username: Username
            do throws(InputProblem) {
                username = try Username(text)
            } catch {
                fields.refuse("username", [Sentence(error)])
                return nil
            }
            let owner = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await profiles.user(named: username)
            }
            if let owner, owner != user { fields.refuse("username", [.usernameTaken]) }
            return username
        }
    }
}
