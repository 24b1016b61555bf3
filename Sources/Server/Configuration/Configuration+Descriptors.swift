import Networking
import Outbound
import Postgres

extension Configuration {
    /// How many file descriptors the process needs beside those of accepted connections: loops, listeners, stores, other servers, the
    /// operations listener, and a reserve. A mail server may be replaced by another one, and both are in use for a moment.
    var ownDescriptors: Int {
        loopCount * (database.connectionsPerLoop + 8) + Operations.maximumConnections
            + 4 * outbound.descriptorCount + 2 * SMTPConfiguration.descriptorCount(threads: mail.connections)
            + ConnectionBudget.reservedDescriptors
    }
}
