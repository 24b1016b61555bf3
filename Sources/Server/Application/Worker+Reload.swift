import Endpoints
import HTTP
import Identity

extension Worker {
    /// Takes over what can change while the server runs: values in slots that only this loop touches, so that requests need no lock.
    /// A setting that reloads is marked so in `Settings` and taken over here.
    func apply(_ configuration: Configuration) async {
        let providers = configuration.federation.providers
        let notices = configuration.noticeIssuers
        await server.run {
            services.federation.use(providers)
            services.accounts.use(Set(providers.map(\.id)))
            services.notices.use(notices)
            limits.value = configuration.limits
        }
        await auditUpkeep.use(retention: configuration.audit.retention)
        await server.trust(configuration.http.proxies)
        await services.codes.use(issuers: configuration.appleIssuers)
        await services.clients.renewAll(lifetime: configuration.clients.cacheLifetime)
    }
}
