#if Postgres
import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials
import Synchronization
import Testing

@testable import CurlewPostgresBatchStore

/// A schema of its own on the server of `Scripts/with-postgres`, which is dropped at the end.
final class StorePlace: Sendable {
  /// The address of the server; nil without one.
  static let address = ProcessInfo.processInfo.environment["CURLEW_POSTGRES"]

  let address: String
  /// The connection that moves the clock.
  private let mover = Mutex<PostgresConnection?>(nil)
  let schema = "test_\(UInt64.random(in: 0 ... .max))"

  init() throws { address = try #require(Self.address) }

  deinit {
    guard let connection = try? connection() else { return }
    try? connection.execute("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE")
  }

  func store(_ access: PostgresBatchStore.Access = .writing) async throws -> PostgresBatchStore {
    try await PostgresBatchStore(address, schema: schema, access: access)
  }

  /// A connection of the test's own.
  func connection() throws -> PostgresConnection { try PostgresConnection(PostgresAddress(address)) }

  /// Replaces the clock of the store by one that stands still until the test moves it.
  func holdClock() throws {
    try connection().execute(
      """
      CREATE TABLE "\(schema)".skew(microseconds bigint NOT NULL);
      INSERT INTO "\(schema)".skew VALUES (0);
      CREATE OR REPLACE FUNCTION "\(schema)".store_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT timestamptz ''2026-01-01'' + (SELECT microseconds FROM "\(schema)".skew) * interval ''1 microsecond''';
      """)
  }

  /// Sets the clock that stands still back, as an operator or a time server may do.
  func setBack(bySeconds seconds: Int) throws {
    try connection().execute("UPDATE \"\(schema)\".skew SET microseconds = microseconds - \(seconds)000000")
  }

  /// Moves the clock that stands still.
  func advance(by duration: Duration) throws {
    try mover.withLock { mover in
      if mover == nil { mover = try connection() }
      try mover?.execute("UPDATE \"\(schema)\".skew SET microseconds = microseconds + \(duration.microseconds)")
    }
  }
}

extension BatchItem {
  static func sample(_ name: String, after dependencies: [String] = [], host: String? = nil) -> BatchItem {
    BatchItem(name, job: ComponentName("sample"), dependencies: dependencies, host: host)
  }
}
#endif
