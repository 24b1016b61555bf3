import HTTP
import Identity
import Text

extension OpenID {
    /// `grant_type=urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 §3.4).
    struct DeviceGrant: Sendable {
        let services: Services

        func tokens(_ token: TokenRequest) async throws(Failure) -> TokenAnswer {
            let code = SecretString(try token.form.required("device_code"))
            let devices = services.authorization.devices
            let answer = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await devices.poll(code, by: token.client.id)
            }
            switch answer {
            case .pending: throw Failure(.badRequest, "authorization_pending", "the user has not decided yet")
            case .tooSoon: throw Failure(.badRequest, "slow_down", "wait five seconds longer between two requests")
            case .denied: throw Failure(.badRequest, "access_denied", "the user does not want it")
            case .expired: throw Failure(.badRequest, "expired_token", "the device code is no longer valid")
            case .void: throw .grantIsVoid
            case .approved(let request, let userID, let sessionID, let time):
                if let thumbprint = request.dpopThumbprint {
                    guard let key = token.confirmation, Base64URL.encode(key.thumbprint).hasSameBytes(as: thumbprint) else {
                        throw .invalidGrant("the device code is bound to another key")
                    }
                }
                let authorized = AuthorizedRequest(
                    clientID: token.client.id, redirectURI: "", challenge: nil, userID: userID, sessionID: sessionID,
                    scopes: request.scopes, resources: request.resources, nonce: nil, idTokenClaims: [], userInfoClaims: [],
                    dpopThumbprint: request.dpopThumbprint, agreedAt: time)
                // A device is not to be signed out because a browser is: it has a session of its own.
                // Its code is used up last of all, so that a device which an outage has stopped asks once more.
                return try await GrantIssue(services: services).tokens(
                    for: authorized, code: nil, by: .deviceCode, isOffline: true, token
                ) { () throws(IdentityError) in try await devices.finish(code) }
            }
        }
    }
}
