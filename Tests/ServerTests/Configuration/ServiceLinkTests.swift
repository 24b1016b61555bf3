import Testing

@testable import Server

@Suite struct ServiceLinkTests {
    @Test(arguments: [
        ("KIDOBAN_SERVICE_HOST", "10.0.0.1"), ("KIDOBAN_SERVICE_PORT", "80"), ("KIDOBAN_SERVICE_PORT_HTTP", "80"),
        ("KIDOBAN_PORT", "tcp://10.0.0.1:80"), ("KIDOBAN_PORT_80_TCP", "tcp://10.0.0.1:80"),
        ("KIDOBAN_PORT_80_TCP_PROTO", "tcp"), ("KIDOBAN_PORT_80_TCP_PORT", "80"), ("KIDOBAN_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("KIDOBAN_OPERATIONS_SERVICE_HOST", "10.0.0.2"), ("KIDOBAN_OPERATIONS_PORT", "tcp://10.0.0.2:9090"),
        ("KIDOBAN_OPERATIONS_PORT_9090_TCP_ADDR", "10.0.0.2"), ("KIDOBAN_PORT_53_UDP", "udp://10.0.0.1:53"),
    ])
    func `what Kubernetes adds for a service of our name is no mistake`(_ name: String, _ value: String) {
        #expect(Sample.problems([name: value]).isEmpty)
    }

    @Test(arguments: [
        ("KIDOBAN_PORT", "8080"), ("KIDOBAN_PORT_80", "80"), ("KIDOBAN_PORT_X_TCP", "1"), ("KIDOBAN_TCP", "1"),
        ("KIDOBAN_SERVICE", "x"), ("KIDOBAN_80_TCP_ADDR", "x"),
    ])
    func `what only resembles it is one`(_ name: String, _ value: String) {
        #expect(Sample.problems([name: value]).map(\.name) == [name])
    }
}
