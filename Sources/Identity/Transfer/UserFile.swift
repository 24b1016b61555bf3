/// Which file it is, and how it is read: takes bytes, gives records with their numbers.
package struct UserFile: Sendable {
    package enum Format: Sendable {
        case firebase(FirebaseUsers, isCSV: Bool)
        case django(DjangoUsers)
        case supabase(SupabaseUsers, isCSV: Bool)
        case lines(KidobanUsers)
    }

    private var format: Format
    private var splitter: any RecordSplitter
    private var found: [RawRecord] = []
    private var count = 0

    package init(_ format: Format) {
        self.format = format
        switch format {
        case .firebase(_, let isCSV): splitter = isCSV ? CSVSplitter(columns: FirebaseUsers.columns) : JSONElementSplitter()
        case .supabase(_, let isCSV): splitter = isCSV ? CSVSplitter() : JSONElementSplitter()
        case .django: splitter = JSONElementSplitter()
        case .lines: splitter = LineSplitter()
        }
    }

    /// - Parameter bytes: empty at the end of the file.
    package mutating func take(_ bytes: ArraySlice<UInt8>) -> [(number: Int, record: TransferRecord)] {
        found.removeAll(keepingCapacity: true)
        if bytes.isEmpty { splitter.finish(&found) } else { splitter.take(bytes, &found) }
        return found.map { raw in
            count += 1
            return (count, read(raw))
        }
    }

    private mutating func read(_ raw: RawRecord) -> TransferRecord {
        switch format {
        case .firebase(let users, _): return users.read(raw)
        case .django(let users): return users.read(raw)
        case .lines(let users): return users.read(raw)
        case .supabase(var users, let isCSV):
            let record = users.read(raw)
            format = .supabase(users, isCSV: isCSV)
            return record
        }
    }
}
