import ArgumentParser
import CurlewBatch
import CurlewSQLiteBatchStore

#if PostgreSQL
import CurlewPostgresBatchStore
#endif

/// Where the state of a batch is kept: `memory`, a file, or a PostgreSQL server.
enum StoreArgument: ExpressibleByArgument, Sendable, Hashable {
  case memory
  case file(String)
  case server(ServerAddress)

  /// Whether the store is for working on it, or only for looking at it.
  enum Access {
    case writing
    case reading
  }

  init?(argument: String) {
    if argument.isEmpty { return nil }
    if argument == "memory" {
      self = .memory
    } else if argument.hasPrefix("postgres://") || argument.hasPrefix("postgresql://") {
      self = .server(ServerAddress(argument))
    } else {
      self = .file(argument)
    }
  }

  /// Whether workers on other machines can use the store too, whose files are not here.
  var isShared: Bool {
    if case .server = self { true } else { false }
  }

  /// The path of the store, if it is a file.
  var path: String? {
    if case .file(let path) = self { path } else { nil }
  }

  /// Throws `ValidationError` for a store that this program was built without.
  func check() throws {
    #if !PostgreSQL
    if isShared { throw Self.noServers }
    #endif
  }

  /// Opens the store.
  ///
  /// - Throws: `BatchError`; `ValidationError` for a store that this program cannot open.
  func open(_ access: Access) async throws -> any BatchStore {
    switch self {
    case .memory: return MemoryBatchStore()
    case .file(let path): return try await SQLiteBatchStore(path, access: access == .writing ? .writing : .reading)
    case .server(let address):
      #if PostgreSQL
      let purpose = access == .writing ? PostgresBatchStore.Access.writing : .reading
      guard let schema = address.schema else { return try await PostgresBatchStore(address.text, access: purpose) }
      return try await PostgresBatchStore(address.text, schema: schema, access: purpose)
      #else
      throw Self.noServers
      #endif
    }
  }

  /// Ends the use of a store.
  static func close(_ store: any BatchStore) async {
    await (store as? SQLiteBatchStore)?.close()
    #if PostgreSQL
    await (store as? PostgresBatchStore)?.close()
    #endif
  }

  #if !PostgreSQL
  private static let noServers = ValidationError(
    """
    This program was built without PostgreSQL. Give --store a file or 'memory', or build the program with it: \
    swift build -c release --package-path Examples/curlew --traits PostgreSQL (needs libpq-dev).
    """)
  #endif
}

/// The address of a database with a schema after `#`, which can have a password: its descriptions do not show it.
struct ServerAddress: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The address without the schema.
  let text: String
  /// The schema of the batch; nil for the default one.
  let schema: String?

  init(_ argument: String) {
    let end = argument.lastIndex(of: "#")
    text = String(argument[..<(end ?? argument.endIndex)])
    schema = end.map { String(argument[argument.index(after: $0)...]) }
  }

  var description: String { "postgres://…" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}
