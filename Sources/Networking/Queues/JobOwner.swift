/// For whom a job is done: by what its place in a `FairQueue` counts.
package struct JobOwner: Equatable, Sendable {
    /// What takes turns with others: a network that one party may have all of, or a server that is asked.
    package let network: String
    /// What takes turns within its network.
    package let address: String
    /// What else is bounded, by position, such as the account that it is about; empty where there is none.
    package let groups: [String]

    package init(network: String, address: String, groups: [String] = []) {
        self.network = network
        self.address = address
        self.groups = groups
    }

    /// Whose jobs are all alike, and run in the order they came.
    package static let nobody = JobOwner(network: "", address: "")

    /// When one of the threads is left for others than the network that has all but that.
    package enum Reserve: Sendable {
        /// As long as others come too: for jobs that keep a processor busy.
        case whileOthersCome
        /// For jobs that do nothing but wait, for somebody who never answers perhaps.
        case always
    }

    /// How many jobs may wait.
    package struct Bounds: Equatable, Sendable {
        package let all: Int
        package let network: Int
        package let address: Int
        /// By position, as in `JobOwner.groups`.
        package let groups: [Int]

        package init(all: Int, network: Int, address: Int, groups: [Int] = []) {
            self.all = all
            self.network = network
            self.address = address
            self.groups = groups
        }

        package init(all: Int) {
            self.init(all: all, network: all, address: all)
        }
    }
}
