public import FoundationEssentials

/// An error of a batch or of its store.
public struct BatchError: Error, Sendable, CustomStringConvertible {
  /// What went wrong; new kinds can be added.
  public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the kind.
    public let rawValue: String
    /// Creates a kind.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The value.
    public var description: String { rawValue }

    /// A part of an item is missing, malformed or too large (`BatchLimits`).
    public static let invalidItem = Kind(rawValue: "invalid-item")
    /// Two items of one call have the same name.
    public static let duplicateItem = Kind(rawValue: "duplicate-item")
    /// The store has another item with this name.
    public static let conflictingItem = Kind(rawValue: "conflicting-item")
    /// A dependency is neither in the store nor among the items that are added.
    public static let unknownDependency = Kind(rawValue: "unknown-dependency")
    /// The dependencies of the items form a cycle.
    public static let dependencyCycle = Kind(rawValue: "dependency-cycle")
    /// The store has no item with this name.
    public static let unknownItem = Kind(rawValue: "unknown-item")
    /// The lease has expired, or its item was finished or released.
    ///
    /// The item may belong to another worker.
    public static let leaseLost = Kind(rawValue: "lease-lost")
    /// The leases of an item have expired too often in a row (`BatchRules.lossLimit`).
    public static let workerLost = Kind(rawValue: "worker-lost")
    /// The disk of the store is full; nothing was changed.
    public static let storeFull = Kind(rawValue: "store-full")
    /// The store may be read but not written; nothing was changed.
    public static let storeReadOnly = Kind(rawValue: "store-read-only")
    /// Another process uses a store that supports only one process at a time.
    public static let storeInUse = Kind(rawValue: "store-in-use")
    /// The file is not a batch store, is damaged, or has an unsupported version.
    public static let storeUnreadable = Kind(rawValue: "store-unreadable")
    /// The store cannot be reached, or failed in another way.
    public static let storeFailed = Kind(rawValue: "store-failed")
  }

  /// What went wrong.
  public var kind: Kind
  /// The name of the item; nil if the error does not concern one.
  public var item: String?
  /// What is wrong, without the item's name.
  public var message: String
  /// The underlying error, without secrets.
  public var underlying: (any Error)?
  /// Whether the same call can succeed a little later, because the store cannot answer now.
  ///
  /// Another program may hold a lock, or the server may be away. A worker then asks again while its lease lasts, instead of
  /// failing. A store sets it for errors of its own.
  public var isTransient = false

  /// Creates an error.
  public init(_ kind: Kind, item: String? = nil, _ message: String, underlying: (any Error)? = nil) {
    self.kind = kind
    self.item = item
    self.message = message
    self.underlying = underlying
  }

  /// A sentence that says what to do; nil if nothing is known.
  public var advice: String? {
    switch kind {
    case .duplicateItem, .conflictingItem: "Give each item a name of its own."
    case .unknownDependency: "Add what an item depends on before it, or in the same call."
    case .dependencyCycle: "Remove one of the dependencies."
    case .unknownItem: "Check the name, and that the store is the right one."
    case .leaseLost: "Another worker may go on with the item: leave it, or give workers longer leases."
    case .storeFull: "Free some space on the disk of the store."
    case .storeReadOnly: "Check who may write the store and its directory."
    case .storeInUse: "Wait for the other process, or take another store."
    case .storeUnreadable: "Check the path; restore the store from a copy, or take another one."
    default: nil
    }
  }

  /// The item and what is wrong with it, in one line.
  public var description: String { item.map { "item \"\(Self.shown($0))\": \(message)" } ?? message }

  /// The start of a name, without control characters.
  static func shown(_ name: String) -> String {
    name.unicodeScalars.prefix(200).map { $0.escaped(asASCII: false) }.joined()
  }
}

extension BatchError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
  /// The advice, which is no part of the description.
  public var recoverySuggestion: String? { advice }
}
