import Testing

@testable import CurlewSQLiteBatchStore

struct SQLiteLibraryTests {
  @Test func `the system's library knows RETURNING and UPSERT`() {
    #expect(SQLiteLibrary.version >= 3_035_000)
  }
}
