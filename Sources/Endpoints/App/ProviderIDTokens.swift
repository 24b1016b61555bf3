import Identity

extension AppAPI {
    /// Has providers' proofs verified, and uses them up for what they have led to.
    struct ProviderIDTokens: Sendable {
        let services: Services

        /// What the token of a body proves.
        /// - Throws: 400 without provider and token; 401 for a token that proves nothing, or that is somebody else's than `oauth_id` says; 503.
        func verified(_ fields: ProviderFields, _ caller: Caller) async throws(Failure) -> VerifiedIDToken {
            guard let provider = fields.provider, let token = fields.token else { throw .providerRequired }
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let verifiedToken = try await services.federation.verify(
                    token, from: provider, nonce: fields.nonce, subject: fields.subject, accessToken: fields.accessToken,
                    caller: caller)
                if let code = fields.authorizationCode { try await services.codes.check(code, of: verifiedToken, caller: caller) }
                return verifiedToken
            }
        }

        /// Has the authorization code that came with a proof exchanged, behind the back of whom it has signed in.
        func exchangeCode(of fields: ProviderFields, _ verifiedToken: VerifiedIDToken, _ userID: UserID, _ caller: Caller) async {
            guard let code = fields.authorizationCode else { return }
            await services.codes.take(code, of: verifiedToken, userID: userID, caller: caller)
        }

        /// Signs in or up with a proof. When it turns out that the user has to do something else first, or to wait, the proof is good once
        /// more: the identity is nobody's then, so nobody has signed in with it.
        func using<T>(
            _ verifiedToken: VerifiedIDToken, _ rule: (VerifiedIDToken) async throws(IdentityError) -> T
        ) async throws(Failure) -> T {
            do throws(IdentityError) {
                return try await rule(verifiedToken)
            } catch {
                if error.leavesProviderTokenUnused { try? await services.federation.giveBack(verifiedToken) }
                throw .identity(error)
            }
        }
    }
}
