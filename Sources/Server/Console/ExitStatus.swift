/// How the process ends (the codes above 1 are those of `sysexits.h`).
package enum ExitStatus {
    package static let success: Int32 = 0
    /// Something went wrong that is neither of the following.
    package static let failure: Int32 = 1
    /// The arguments are wrong.
    package static let usage: Int32 = 64
    /// The configuration is wrong.
    package static let configuration: Int32 = 78
}
