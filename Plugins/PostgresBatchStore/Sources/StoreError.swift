#if Postgres
import CurlewBatch

/// Makes the errors of a store.
enum StoreError {
  /// The states for what a connection finds out about its database; no server sends them.
  private enum State {
    static let encoding = "curlew-encoding"
    static let missing = "curlew-missing"
    static let notAStore = "curlew-not-a-store"
    static let version = "curlew-version"
  }

  static func encoding(_ encoding: String) -> PostgresError {
    PostgresError(
      state: State.encoding, message: "the database has the encoding \(encoding), so create one with the encoding UTF8")
  }

  static func missing(_ schema: String) -> PostgresError {
    PostgresError(state: State.missing, message: "there is no batch store in the schema \(schema)")
  }

  static func notAStore(_ schema: String) -> PostgresError {
    PostgresError(
      state: State.notAStore, message: "the schema \(schema) has tables of another program, so take another schema")
  }

  static func version(_ version: Int64, _ schema: String) -> PostgresError {
    PostgresError(
      state: State.version,
      message:
        "the store in the schema \(schema) has version \(version), and this program knows version \(StoreSchema.version)"
    )
  }

  /// Returns the error for a failed call of the server.
  static func error(_ error: PostgresError, _ address: PostgresAddress) -> BatchError {
    let kind: BatchError.Kind =
      switch error.state {
      // Class 53 are exhausted resources: 53100 is a full disk.
      case "53100": .storeFull
      // A read-only transaction, as on a standby, and a missing permission.
      case "25006", "42501": .storeReadOnly
      case State.encoding, State.missing, State.notAStore, State.version: .storeUnreadable
      default: .storeFailed
      }
    let what =
      error.isConnectionLost ? "The PostgreSQL server cannot be reached" : "The store on the PostgreSQL server failed"
    var failure = BatchError(kind, "\(what) (\(address)): \(error.message).", underlying: error)
    failure.isTransient = error.isTransient
    return failure
  }

  static func closed(_ address: PostgresAddress) -> BatchError {
    BatchError(.storeFailed, "The store on the PostgreSQL server (\(address)) is closed.")
  }

  static func leaseLost(_ name: String) -> BatchError {
    BatchError(.leaseLost, item: name, "its lease is over")
  }

  static func unknown(_ name: String) -> BatchError {
    BatchError(.unknownItem, item: name, "the store has no such item")
  }

  static func conflict(_ name: String) -> BatchError {
    BatchError(.conflictingItem, item: name, "the store has another item with this name")
  }
}
#endif
