/// The anchors of one document and what they stand for.
struct Anchors {
  /// A node that can be referred to.
  struct Node {
    var value: YAMLValue
    /// How many nodes it is made of, aliases followed.
    var nodes: Int
    /// How many collections are within each other in it.
    var height: Int
  }

  private struct Entry {
    var serial: Int
    /// Nil while the node is open.
    var node: Node?
  }

  private var entries: [String: Entry] = [:]
  private var serial = 0

  var isEmpty: Bool { entries.isEmpty }

  mutating func removeAll() {
    entries.removeAll()
  }

  /// Declares the anchor of a node that begins, and gives what ``close(_:_:_:)`` needs.
  mutating func open(_ name: String) -> Int {
    serial += 1
    entries[name] = Entry(serial: serial, node: nil)
    return serial
  }

  /// Tells what the node has become, unless a node within it took the name over.
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
