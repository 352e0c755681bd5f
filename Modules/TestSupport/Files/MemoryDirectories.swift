/// Names in memory as programs see them, and as a disk would hold them after a crash.
struct MemoryDirectories: Sendable {
  /// What a name stands for.
  enum Node: Sendable, Hashable {
    case directory
    case file(Int)
  }

  /// Names that are set or taken away together.
  private struct Change: Sendable {
    var names: [(path: String, node: Node?)]
  }

  private(set) var nodes: [String: Node] = ["/": .directory]
  private var durable: [String: Node] = ["/": .directory]
  private var pending: [Change] = []

  subscript(path: String) -> Node? { nodes[path] }

  /// Files that have a name.
  var namedFiles: Set<Int> { Self.files(nodes.values) }

  /// Files that have a name, or may have one after a crash.
  var reachableFiles: Set<Int> {
    namedFiles.union(Self.files(durable.values)).union(Self.files(pending.flatMap { $0.names.compactMap(\.node) }))
  }

  private static func files(_ nodes: some Sequence<Node>) -> Set<Int> {
    Set(nodes.compactMap { if case .file(let number) = $0 { number } else { nil } })
  }

  /// Whether anything lies in a directory.
  func hasChildren(_ path: String) -> Bool { nodes.keys.contains { Self.parent($0) == path && $0 != "/" } }

  /// The names in a directory.
  func children(_ path: String) -> [String] {
    nodes.keys.filter { Self.parent($0) == path && $0 != "/" }.map { String($0[Self.nameStart($0)...]) }
  }

  mutating func set(_ names: [(path: String, node: Node?)]) {
    for (path, node) in names { nodes[path] = node }
    pending.append(Change(names: names))
  }

  /// Makes durable what happened to the names in a directory.
  mutating func synchronize(_ directory: String) {
    pending.removeAll { change in
      guard change.names.contains(where: { Self.parent($0.path) == directory }) else { return false }
      for (path, node) in change.names { durable[path] = node }
      return true
    }
  }

  /// Falls back to what is durable, with as many of the later changes, in order, as `survivors` says of their number.
  mutating func crash(_ survivors: (Int) -> Int) {
    for change in pending.prefix(survivors(pending.count)) {
      for (path, node) in change.names { durable[path] = node }
    }
    // A file whose directory was lost is lost with it.
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

  /// The path without `.`, `..` and doubled slashes, beginning with one.
  static func canonical(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// The directory a canonical path lies in.
  static func parent(_ path: String) -> String {
    let start = nameStart(path)
    return start <= path.index(after: path.startIndex) ? "/" : String(path[..<path.index(before: start)])
  }

  private static func nameStart(_ path: String) -> String.Index {
    path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
  }
}
