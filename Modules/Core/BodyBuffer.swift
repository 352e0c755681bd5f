package import FoundationEssentials

/// Bytes of a body that wait for their reader, first in first out.
///
/// Small pieces become one, so that the list stays short; the usual body, which is a single piece, needs no list.
package struct BodyBuffer: Sendable {
  /// Pieces are joined as long as they are no larger together, in bytes.
  private static let joined = 16_384
  private var first: Data?
  private var rest: [Data] = []
  /// Where the rest begins; what is before was taken.
  private var begin = 0
  /// The bytes that wait.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    if !join(bytes.count, { $0.append(contentsOf: bytes) }) { add(Data(bytes: base, count: bytes.count)) }
    count += bytes.count
  }

  package mutating func append(_ bytes: Data) {
    guard !bytes.isEmpty else { return }
    if !join(bytes.count, { $0.append(bytes) }) { add(bytes) }
    count += bytes.count
  }

  /// Takes the next piece, never empty; nil when nothing waits.
  package mutating func popFirst() -> Data? {
    guard let piece = first else { return nil }
    count -= piece.count
    if begin < rest.count {
      first = rest[begin]
      rest[begin] = Data()
      begin += 1
      if begin == rest.count { forgetTaken() }
    } else {
      first = nil
    }
    return piece
  }

  /// Puts what another holds in front.
  package mutating func prepend(_ others: BodyBuffer) {
    var all = others
    while let piece = popFirst() { all.append(piece) }
    self = all
  }

  private mutating func add(_ piece: Data) {
    if first == nil { first = piece } else { rest.append(piece) }
  }

  /// Lengthens the last piece where it stays small enough; false where it does not, or there is none.
  private mutating func join(_ more: Int, _ lengthen: (inout Data) -> Void) -> Bool {
    if let last = rest.indices.last {
      guard rest[last].count + more <= Self.joined else { return false }
      lengthen(&rest[last])
    } else {
      guard let piece = first, piece.count + more <= Self.joined else { return false }
      first = nil
      var longer = piece
      lengthen(&longer)
      first = longer
    }
    return true
  }

  private mutating func forgetTaken() {
    rest.removeAll(keepingCapacity: true)
    begin = 0
  }
}
