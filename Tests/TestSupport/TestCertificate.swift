/// A certificate and its authority, made for one test.
package struct TestCertificate {
    package struct Failure: Error {
        package let step: String
    }

    package let authorityPath: String
    package let certificatePath: String
    package let keyPath: String

    /// - Parameter names: as in a subject alternative name, such as `DNS:localhost`.
    package init(names: [String], in directory: TestDirectory) throws {
        let base = "\(directory.path)/\(String(UInt64.random(in: .min ... .max), radix: 36))"
        authorityPath = "\(base).authority.pem"
        certificatePath = "\(base).pem"
        keyPath = "\(base).key"
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try Self.openssl(
            [
                "req", "-x509", "-subj", "/CN=Test Authority", "-days", "2", "-keyout", "\(base).authority.key", "-out",
                authorityPath,
            ]
                + curve)
        let extensions = [
            "-addext", "subjectAltName=\(names.joined(separator: ","))", "-addext", "basicConstraints=critical,CA:FALSE",
        ]
        try Self.openssl(
            ["req", "-x509", "-subj", "/CN=Test Server", "-days", "2", "-keyout", keyPath, "-out", certificatePath]
                + ["-CA", authorityPath, "-CAkey", "\(base).authority.key"] + curve + extensions)
    }

    private static func openssl(_ arguments: [String]) throws {
        guard try ChildProcess.run("/usr/bin/openssl", arguments) == 0 else {
            throw Failure(step: arguments.joined(separator: " "))
        }
    }
}
