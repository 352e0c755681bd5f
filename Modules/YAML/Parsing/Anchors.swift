/// The anchors of one document and the nodes they name.
struct Anchors {
  /// A node that aliases can refer to.
  struct Node {
    var value: YAMLValue
    /// The number of nodes in it, with aliases expanded.
    var nodes: Int
    /// The number of bytes of scalars and tags in it, with aliases expanded.
    var bytes: Int
    /// The deepest nesting of collections in it.
    var height: Int
  }

  private struct Entry {
    var serial: Int
    /// The finished node; nil while its content is still being read.
    var node: Node?
  }

  private var entries: [String: Entry] = [:]
  private var serial = 0

  var isEmpty: Bool { entries.isEmpty }

  mutating func removeAll() {
    entries.removeAll()
  }

  /// Declares the anchor of a node that begins.
  ///
  /// - Returns: The serial number for ``close(_:_:_:)``.
  mutating func open(_ name: String) -> Int {
    serial += 1
    entries[name] = Entry(serial: serial, node: nil)
    return serial
  }

  /// Sets the finished node, unless a node inside it has redefined the anchor.
  mutating func close(_ name: String, _ serial: Int, _ node: Node) {
    guard entries[name]?.serial == serial else { return }
    entries[name]?.node = node
  }

  enum Failure: Error { case unknown, open }

  func node(_ name: String) throws(Failure) -> Node {
    guard let entry = entries[name] else { throw .unknown }
    guard let node = entry.node else { throw .open }
    return node
  }
}
