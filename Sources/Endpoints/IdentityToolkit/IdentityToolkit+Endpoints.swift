import HTTP
import Identity
import Text

/// The methods of the API, each in a file of its own or with those that belong to it.
extension IdentityToolkit.Core {
    typealias Failure = IdentityToolkit.Failure
    typealias Call = IdentityToolkit.Call
    typealias Endpoint = IdentityToolkit.Endpoint
    typealias Host = IdentityToolkit.Host
    typealias Fields = IdentityToolkit.Fields

    /// What the paths of administrators start with.
    static let projectPath = Host.toolkit + "/v1/projects/{project}"

    /// In the order in which `openapi.json` has them.
    var endpoints: [Endpoint] {
        var endpoints = [
            signUpEndpoint, passwordEndpoint, refreshEndpoint, sendCodeEndpoint, resetPasswordEndpoint, emailLinkEndpoint,
            providerEndpoint, customTokenEndpoint, authURIEndpoint, lookupEndpoint, updateEndpoint, deleteEndpoint,
        ]
        endpoints += listEndpoints
        endpoints += [importEndpoint, deleteManyEndpoint, searchEndpoint, sessionCookieEndpoint]
        endpoints +=
            projectEndpoints + configurationEndpoints + providerConfigurationEndpoints + keyEndpoints + unavailableEndpoints
        if options.isEmulator { endpoints += emulatorEndpoints }
        return endpoints + [serviceAccountEndpoint, revokeTokenEndpoint]
    }

    private var serviceAccountEndpoint: Endpoint {
        Endpoint("A token for a service account", .post, .everybody, [IdentityToolkit.ServiceAccounts.tokenPath]) {
            call throws(Failure) in await IdentityToolkit.ServiceAccounts(self.services, self.api).token(call)
        }
    }
}
