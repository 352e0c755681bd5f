#if Postgres
import Testing

/// The tests that need a server; one after the other, because some of them restart it.
@Suite(.serialized, .enabled(if: StorePlace.address != nil, "Scripts/with-postgres starts a server"))
enum ServerTests {}
#endif
