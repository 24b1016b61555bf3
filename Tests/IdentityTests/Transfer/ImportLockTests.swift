import Networking
import Postgres
import Testing

@testable import Identity

extension WithStores {
    @Suite struct ImportLockTests {
        @Test func `one import at a time`() async throws {
            try await World.run { world in
                let configuration = try PostgresConfiguration(connectionString: world.connectionString)
                let first = try UserImport(try BulkConnection(configuration), UserImport.Options(), at: Sample.now)
                #expect(throws: ImportFailure.locked) {
                    try UserImport(try BulkConnection(configuration), UserImport.Options(), at: Sample.now)
                }
                _ = try first.take([])
            }
        }

        @Test func `who signs up in the very moment in which a batch is written keeps the address, and the others are added`()
            async throws
        {
            try await World.run { world in
                let configuration = try PostgresConfiguration(connectionString: world.connectionString)
                let (other, observer) = (try BulkConnection(configuration), try BulkConnection(configuration))
                try other.runScript(
                    """
                    BEGIN;
                    INSERT INTO users (id, email, email_normalized, email_verified, created_at, updated_at)
                    VALUES (gen_random_uuid(), 'b@town.example', 'b@town.example', true, now(), now())
                    """)
                let pool = BlockingPool(label: "import-test", threads: 1, queueLimit: 1)
                defer { pool.stop() }
                let text = ["a", "b", "c"].map { #"{"localId":"\#($0)","email":"\#($0)@town.example","emailVerified":true}"# }
                let bytes = Array("[\(text.joined(separator: ","))]".utf8)
                async let bringing = pool.run {
                    Result {
                        let users = try UserImport(try BulkConnection(configuration), UserImport.Options(), at: Sample.now)
                        var file = UserFile(Importing.firebase())
                        let complaints = try users.take(file.take(bytes[...]))
                        return (users.tally.added, complaints.map { "\($0.record) \($0.problem.reason.rawValue)" })
                    }
                }
                try await eventually {
                    let waiting = """
                        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                        """
                    return try observer.run(waiting).first?.int64(0) == 1
                }
                try other.runScript("COMMIT")
                let (added, complaints) = try await bringing.get()
                #expect(added == 2 && complaints == ["2 email_taken"])
                #expect(try await world.a.userCount() == 3)
            }
        }

        @Test(arguments: [1, 2, 7])
        func `the first line of a file wins, however the lines fall into batches`(batch: Int) async throws {
            try await World.run { world in
                let google = #""providerUserInfo":[{"providerId":"google.com","rawId":"1"}]"#
                let lines = [
                    #"{"localId":"1","email":"a@town.example","emailVerified":true}"#,
                    #"{"localId":"2","email":"b@town.example","emailVerified":true,"phoneNumber":"+819012345678"}"#,
                    #"{"localId":"3",\#(google)}"#, #"{"localId":"4","email":"A@town.example","emailVerified":true}"#,
                    #"{"localId":"2","email":"c@town.example"}"#, #"{"localId":"5","phoneNumber":"+819012345678"}"#,
                    #"{"localId":"6","email":"d@town.example",\#(google)}"#,
                ]
                let outcome = try Importing.bring(
                    "[\(lines.joined(separator: ",\n"))]", [Importing.firebase()], to: world, batch: batch)
                #expect(outcome.tally.added == 3 && outcome.refused.map { $0.prefix(1) } == ["4", "5", "6", "7"])
                #expect(outcome.refused[1] == "5 duplicate")
                let first = try await Importing.user(world, "firebase", "1")
                #expect(first.email?.typed == "a@town.example")
            }
        }
    }
}
