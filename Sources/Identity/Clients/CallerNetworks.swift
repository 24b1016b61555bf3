package import Networking

/// Networks whose hosts are taken for a client without any proof, because nobody else is there.
package struct CallerNetworks: Sendable {
    package struct Network: Equatable, Sendable {
        package let block: AddressBlock
        package let client: ClientID

        package init(_ block: AddressBlock, _ client: ClientID) {
            self.block = block
            self.client = client
        }
    }

    /// The longest prefix first.
    private let networks: [Network]

    package init(_ networks: [Network]) {
        self.networks = networks.sorted { $0.block.prefixLength > $1.block.prefixLength }
    }

    /// Whom a host is taken for: of several networks the smallest counts.
    package func client(at address: String) -> ClientID? {
        guard !networks.isEmpty, let address = IPAddress(address) else { return nil }
        return networks.first { $0.block.contains(address) }?.client
    }
}
