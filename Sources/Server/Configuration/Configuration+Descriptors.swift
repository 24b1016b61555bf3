import Networking
import Outbound
import Postgres

extension Configuration {
    /// How many file descriptors the process needs beside those of accepted connections: loops, listeners, stores, other servers, the
    /// operations listener, and a reserve.
    var ownDescriptors: Int {
        loopCount * (database.connectionsPerLoop + 8) + Operations.maximumConnections
            + 3 * outbound.descriptorCount + (smtp?.descriptorCount ?? 0)
            + ConnectionBudget.reservedDescriptors
    }
}
