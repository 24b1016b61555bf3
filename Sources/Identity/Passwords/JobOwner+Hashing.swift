package import Networking

/// For whom a password is hashed. Sites take turns, and within each its networks (`ClientNetwork`); what waits for one account or by way
/// of one client is bounded too.
extension JobOwner {
    /// - Parameters:
    ///   - account: by which it is told apart, as limits do; nil where there is none yet.
    ///   - client: nil for an operator.
    package init(hashingFor caller: Caller, account: String?, client: ClientID?) {
        let network = ClientNetwork(caller.address)
        self.init(network: network.site, address: network.text, groups: [account ?? "", client?.text ?? ""])
    }
}

extension JobOwner.Bounds {
    /// How many passwords may wait to be hashed.
    package init(hashes all: Int, site: Int, address: Int, account: Int, client: Int) {
        self.init(all: all, network: site, address: address, groups: [account, client])
    }
}
