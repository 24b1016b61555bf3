/// The types of PostgreSQL that a `Row` reads, by their fixed object id (`pg_type.dat` of the server).
enum ColumnType: UInt32 {
    case bool = 16
    case bytea = 17
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case oid = 26
    case json = 114
    case float4 = 700
    case float8 = 701
    case unknown = 705
    case textArray = 1009
    case varcharArray = 1015
    case bpchar = 1042
    case varchar = 1043
    case timestamptz = 1184
    case uuid = 2950
    case uuidArray = 2951
    case jsonb = 3802
}
