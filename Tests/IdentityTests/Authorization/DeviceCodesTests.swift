import Testing
import Text

@testable import Identity

extension WithStores {
    /// Codes of devices, on which somebody decides on another one.
    @Suite struct DeviceCodesTests {
        @Test func `a decision that has failed half-way may be repeated, and one that is made stays`() async throws {
            try await World.run { world in
                let parts = world.a.parts
                let devices = DeviceCodes(
                    redis: parts.redis, sessions: parts.sessions, limiter: parts.limiter, system: world.a.system,
                    life: .seconds(600))
                let client = World.clientID("television")
                let request = DeviceRequest(clientID: client, scopes: ["openid"], resources: [], dpopThumbprint: nil)
                let issued = try await world.a.run { _ in try await devices.issue(request) }
                let approve: @Sendable (IdentityParts) async throws -> Bool = { _ in
                    try await devices.decide(
                        issued.userCode, .approved(Sample.userID, Sample.sessionID), caller: Copy.caller)
                }
                try await world.a.permitKeys("device-user:*")
                await #expect(throws: IdentityError.internalFault) { try await world.a.run(approve) }
                try await world.a.permitKeys("*")
                #expect(try await world.a.run(approve))
                // The same once more is no other decision.
                #expect(try await world.a.run(approve))
                #expect(try await world.a.events("device_approved").count == 1)
                let others: [DeviceCodes.Decision] = [
                    .denied(Sample.userID, Sample.sessionID), .approved(Sample.userID, SessionID(random: Array(1..<17))),
                ]
                for other in others {
                    #expect(
                        try await !world.a.run { _ in try await devices.decide(issued.userCode, other, caller: Copy.caller) })
                    #expect(try await !world.a.run { _ in try await devices.isDecided(issued.userCode, other) })
                }
                let answer = try await world.a.run { _ in try await devices.poll(issued.deviceCode, by: client) }
                guard case .approved(request, Sample.userID, Sample.sessionID, _) = answer else {
                    Issue.record("\(answer)")
                    return
                }
                // Who is stopped before there are tokens asks again; of several who get some, one may keep them.
                let again = try await world.a.run { _ in try await devices.poll(issued.deviceCode, by: client) }
                guard case .approved = again else {
                    Issue.record("\(again)")
                    return
                }
                #expect(try await world.a.run { _ in try await devices.finish(issued.deviceCode) })
                #expect(try await !world.a.run { _ in try await devices.finish(issued.deviceCode) })
                let late = try await world.a.run { _ in try await devices.poll(issued.deviceCode, by: client) }
                guard case .void = late else {
                    Issue.record("\(late)")
                    return
                }
                // It leads to what was decided, and to nothing that could be decided once more.
                #expect(try await world.a.run { _ in try await devices.lookup(issued.userCode, caller: Copy.caller) } == nil)
            }
        }

        @Test func `a device is told that its time is over, that its user does not want it, or that it has no such code`()
            async throws
        {
            try await World.run { world in
                let parts = world.a.parts
                let devices = DeviceCodes(
                    redis: parts.redis, sessions: parts.sessions, limiter: parts.limiter, system: world.a.system,
                    life: .seconds(600))
                let client = World.clientID("television")
                let request = DeviceRequest(clientID: client, scopes: ["openid"], resources: [], dpopThumbprint: nil)
                func poll(_ code: SecretString, by client: ClientID) async throws -> String {
                    "\(try await world.a.run { _ in try await devices.poll(code, by: client) })"
                }
                let denied = try await world.a.run { _ in try await devices.issue(request) }
                _ = try await world.a.run { _ in
                    try await devices.decide(denied.userCode, .denied(Sample.userID, Sample.sessionID), caller: Copy.caller)
                }
                for _ in 0..<2 { #expect(try await poll(denied.deviceCode, by: client) == "denied") }
                let late = try await world.a.run { _ in try await devices.issue(request) }
                #expect(try await poll(late.deviceCode, by: World.clientID("radio")) == "void")
                #expect(try await poll(late.deviceCode, by: client) == "pending")
                world.clock.advance(by: .seconds(600))
                #expect(try await poll(late.deviceCode, by: client) == "expired")
                let unknown = SecretString(Base64URL.encode(Array(repeating: 7, count: DeviceCodes.randomByteCount)))
                #expect(try await poll(unknown, by: client) == "void")
            }
        }
    }
}
