import ArgumentParser
import CurlewBatch
import CurlewSQLiteBatchStore

/// Where the state of a batch is kept: `memory`, a file, or a PostgreSQL server.
enum StoreArgument: ExpressibleByArgument, Sendable, Hashable {
  case memory
  case file(String)
  /// A server; nothing of its address is kept, because it can have a password.
  case server

  init?(argument: String) {
    if argument.isEmpty { return nil }
    if argument == "memory" {
      self = .memory
    } else if argument.hasPrefix("postgres://") || argument.hasPrefix("postgresql://") {
      self = .server
    } else {
      self = .file(argument)
    }
  }

  /// Opens the store for work, or to look at it.
  ///
  /// - Throws: `BatchError`; `ValidationError` for a store that this program cannot open.
  func open(_ access: SQLiteBatchStore.Access) async throws -> any BatchStore {
    switch self {
    case .memory: MemoryBatchStore()
    case .file(let path): try await SQLiteBatchStore(path, access: access)
    case .server: throw Self.noServers
    }
  }

  static let noServers = ValidationError(
    """
    This program was built without PostgreSQL. Give --store a file or 'memory'; a program with PostgreSQL is built over \
    CurlewBatch's BatchStore.
    """)
}
