import HTTP
import Identity
import Text

/// What the SDKs know and this server does not offer.
extension IdentityToolkit.Core {
    /// Phones and second factors.
    var unavailableEndpoints: [Endpoint] {
        let refused = [
            "/v1/accounts:signInWithPhoneNumber", "/v1/accounts:sendVerificationCode", "/v2/accounts/mfaEnrollment:start",
            "/v2/accounts/mfaEnrollment:finalize", "/v2/accounts/mfaEnrollment:withdraw", "/v2/accounts/mfaSignIn:start",
            "/v2/accounts/mfaSignIn:finalize", "/v2/accounts/passkeyEnrollment:start", "/v2/accounts/passkeyEnrollment:finalize",
            "/v2/accounts/passkeySignIn:start", "/v2/accounts/passkeySignIn:finalize",
        ].map { Host.toolkit + $0 }
        let phones = ["\(Host.legacy)/verifyPhoneNumber", "\(Host.legacy)/sendVerificationCode"]
        return [
            Endpoint("Not offered", .post, .key, refused + phones) { _ throws(Failure) in
                throw Failure("OPERATION_NOT_ALLOWED")
            },
            Endpoint("Not offered: apps sign out by themselves", .post, .key, ["\(Host.legacy)/signOutUser"]) {
                _ throws(Failure) in
                throw Failure.notImplemented
            },
            Endpoint(
                "Not offered: there are no tenants", .post, .key,
                [Host.toolkit + "/v1/projects/{project}/tenants/{tenant}/{method}"]
            ) {
                _ throws(Failure) in throw Failure("UNSUPPORTED_TENANT_OPERATION")
            },
            Endpoint(
                "Not offered: there are no tenants", .get, .administrator,
                [Host.toolkit + "/v1/projects/{project}/tenants/{tenant}/{method}"]
            ) {
                _ throws(Failure) in throw Failure("UNSUPPORTED_TENANT_OPERATION")
            },
        ]
    }
}
