/// The names in memory, as programs see them and as a crash would leave them.
struct MemoryDirectories: Sendable {
  /// What a name refers to.
  enum Node: Sendable, Hashable {
    case directory
    case file(Int)
  }

  /// Names that are set or removed together.
  private struct Change: Sendable {
    var names: [(path: String, node: Node?)]
  }

  private(set) var nodes: [String: Node] = ["/": .directory]
  private var durable: [String: Node] = ["/": .directory]
  private var pending: [Change] = []

  subscript(path: String) -> Node? { nodes[path] }

  /// The files that have a name.
  var namedFiles: Set<Int> { Self.files(nodes.values) }

  /// The files that have a name, or may have one after a crash.
  var reachableFiles: Set<Int> {
    namedFiles.union(Self.files(durable.values)).union(Self.files(pending.flatMap { $0.names.compactMap(\.node) }))
  }

  private static func files(_ nodes: some Sequence<Node>) -> Set<Int> {
    Set(nodes.compactMap { if case .file(let number) = $0 { number } else { nil } })
  }

  /// Returns whether a directory contains anything.
  func hasChildren(_ path: String) -> Bool { nodes.keys.contains { Self.parent($0) == path && $0 != "/" } }

  /// Returns the names in a directory.
  func children(_ path: String) -> [String] {
    nodes.keys.filter { Self.parent($0) == path && $0 != "/" }.map { String($0[Self.nameStart($0)...]) }
  }

  mutating func set(_ names: [(path: String, node: Node?)]) {
    for (path, node) in names { nodes[path] = node }
    pending.append(Change(names: names))
  }

  /// Makes the changes to the names in a directory durable.
  mutating func synchronize(_ directory: String) {
    pending.removeAll { change in
      guard change.names.contains(where: { Self.parent($0.path) == directory }) else { return false }
      for (path, node) in change.names { durable[path] = node }
      return true
    }
  }

  /// Reverts to the durable names, with some of the later changes in order.
  ///
  /// `survivors` gets their number and returns how many survive.
  mutating func crash(_ survivors: (Int) -> Int) {
    for change in pending.prefix(survivors(pending.count)) {
      for (path, node) in change.names { durable[path] = node }
    }
    // A file is lost together with its directory.
    nodes = durable.filter { entry in
      var above = entry.key
      while above != "/" {
        above = Self.parent(above)
        if durable[above] != .directory { return false }
      }
      return true
    }
    durable = nodes
    pending = []
  }

  /// Returns the absolute path without `.`, `..` and repeated slashes.
  static func canonical(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// Returns the parent directory of a canonical path.
  static func parent(_ path: String) -> String {
    let start = nameStart(path)
    return start <= path.index(after: path.startIndex) ? "/" : String(path[..<path.index(before: start)])
  }

  private static func nameStart(_ path: String) -> String.Index {
    path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
  }
}
