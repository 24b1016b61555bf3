import HTTP
import Identity
import Text

/// What the SDKs know and this server does not offer.
extension IdentityToolkit.Core {
    private typealias Access = IdentityToolkit.Access

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
                throw Failure.notImplemented("signOutUser is not implemented.")
            },
        ] + tenantEndpoints
    }

    private var tenantEndpoints: [Endpoint] {
        let all = ["v1", "v2"].map { "\(Host.toolkit)/\($0)/projects/{project}/tenants/{path...}" }
        let collection = [Host.toolkit + "/v2/projects/{project}/tenants"]
        let emulator = options.isEmulator ? ["/emulator/v1/projects/{project}/tenants/{path...}"] : []
        func refused(_ method: Method, _ access: Access, _ paths: [String]) -> [Endpoint] {
            guard !paths.isEmpty else { return [] }
            return [
                Endpoint("Not offered: there are no tenants", method, access, paths) { _ throws(Failure) in
                    throw Failure("UNSUPPORTED_TENANT_OPERATION")
                }
            ]
        }
        return refused(.post, .key, all + collection) + refused(.get, .administrator, all + collection)
            + refused(.patch, .administrator, all) + refused(.delete, .administrator, all)
            + [Method.get, .patch, .delete].flatMap { refused($0, .everybody, emulator) }
    }
}
