import Postgres
import Text

/// The short way for those whom nothing is in the way of, which are nearly all: they are copied to the tables themselves.
extension ImportTables {
    /// Adds those of a batch of whom nothing is here: no id, address, identity, phone number or username. The order in a batch does not
    /// matter: nobody in it is in the way of another.
    /// - Returns: the others, who are to be judged.
    /// - Throws: a unique violation if somebody else has written such a thing in this very moment; then nobody is added.
    func addClear(of batch: ImportBatch) throws(BulkConnection.Failure) -> ImportBatch {
        try connection.transaction { () throws(BulkConnection.Failure) in
            try connection.runScript(Self.useIndices)
            let (clear, others) = batch.split(at: try numbersInDoubt(of: batch))
            guard !clear.users.isEmpty else { return others }
            let rows = ImportRows(clear, to: .tables(at: try clock()))
            try connection.copy(rows.users, to: "users (\(ImportRows.userColumns))")
            try connection.copy(rows.aliases, to: "user_aliases (user_id, source, id, created_at)")
            try connection.copy(rows.identities, to: "identities (\(ImportRows.identityColumns))")
            try connection.copy(rows.profiles, to: "profiles (user_id, number, username, username_folded, first_name, last_name)")
            try connection.copy(rows.unnumbered, to: "profiles (user_id, username, username_folded, first_name, last_name)")
            try connection.copy(rows.settings, to: "app_settings (user_id, settings)")
            let given = clear.users.compactMap { $0.user.id?.description }
            if !given.isEmpty {
                try connection.run("INSERT INTO import_seen (key) SELECT 'd' || unnest($1::text[])", [.textArray(given)])
            }
            return others
        }
    }

    /// The server's, rounded up: nothing is added before the run began.
    private func clock() throws(BulkConnection.Failure) -> Timestamp {
        let row = try connection.run("SELECT ceil(extract(epoch FROM clock_timestamp()) * 1000)::bigint").first
        guard let time = row.flatMap({ try? $0.int64(0) }) else { throw .mismatch }
        return Timestamp(milliseconds: time)
    }

    private func numbersInDoubt(of batch: ImportBatch) throws(BulkConnection.Failure) -> Set<Int> {
        let keys = ImportKeys(batch)
        var numbers: Set<Int> = []
        for (sql, columns, holders) in keys.questions where !holders.isEmpty {
            for row in try connection.run(sql, columns.map { .textArray($0) }) {
                guard let place = try? row.int64(0), holders.indices.contains(Int(place) - 1) else { throw .mismatch }
                numbers.insert(holders[Int(place) - 1])
            }
        }
        return numbers
    }
}

/// What the users of a batch have that can be of one user only, in columns; beside each the number of its user.
private struct ImportKeys {
    private var ids = Column(width: 1)
    private var ownIDs = Column(width: 1)
    private var aliases = Column(width: 2)
    private var emails = Column(width: 1)
    private var identities = Column(width: 2)
    private var phones = Column(width: 1)
    private var usernames = Column(width: 1)
    private var numbers = Column(width: 1)

    private struct Column {
        var texts: [[String]]
        var holders: [Int] = []

        init(width: Int) {
            texts = Array(repeating: [], count: width)
        }

        mutating func add(_ values: String..., of number: Int) {
            for (index, value) in values.enumerated() { texts[index].append(value) }
            holders.append(number)
        }
    }

    init(_ batch: ImportBatch) {
        for entry in batch.users {
            let (user, number) = (entry.user, entry.number)
            if let id = user.id {
                ownIDs.add(id.description, of: number)
                ids.add(id.description, of: number)
            }
            for alias in user.aliases {
                aliases.add(alias.source, alias.id, of: number)
                if let id = UserID(alias.id), id != user.id { ids.add(id.description, of: number) }
            }
            if let email = user.email, !user.claimsAddress { emails.add(email.normalized, of: number) }
            for identity in user.identities { identities.add(identity.provider.text, identity.subject, of: number) }
            if let phone = user.phoneNumber { phones.add(phone, of: number) }
            if let profile = user.profile { usernames.add(profile.username.folded, of: number) }
            if let profile = user.profile?.number { numbers.add(String(profile), of: number) }
        }
    }

    /// Each answers with the places of those that there are, from one.
    var questions: [(sql: String, columns: [[String]], holders: [Int])] {
        func ask(_ from: String, _ condition: String, _ column: Column, with: String = "") -> (String, [[String]], [Int]) {
            let (values, names) = column.texts.count == 1 ? ("$1::text[]", "key") : ("$1::text[], $2::text[]", "first, key")
            let sql = """
                \(with) SELECT k.place FROM unnest(\(values)) WITH ORDINALITY AS k (\(names), place)
                WHERE EXISTS (SELECT FROM \(from) WHERE \(condition))
                """
            return (sql, column.texts, column.holders)
        }
        return [
            ask("users t", "t.id = k.key::uuid", ids), ask("import_seen t", "t.key = 'd' || k.key", ownIDs),
            ask(
                "sources s JOIN user_aliases t ON t.source = s.source", "t.id = k.key", ownIDs, with: ImportTables.withSources),
            ask("user_aliases t", "t.source = k.first AND t.id = k.key", aliases),
            ask("users t", "t.email_normalized = k.key AND NOT t.email_claimed", emails),
            ask("identities t", "t.provider = k.first AND t.subject = k.key", identities),
            ask("users t", "t.phone_number = k.key", phones), ask("profiles t", "t.username_folded = k.key", usernames),
            ask("profiles t", "t.number = k.key::bigint", numbers),
        ]
    }
}
