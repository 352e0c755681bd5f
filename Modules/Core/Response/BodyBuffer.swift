package import FoundationEssentials

/// A queue of a body's bytes that wait for their reader.
///
/// Small pieces are joined, so that the list stays short; the usual body, a single piece, needs no list.
package struct BodyBuffer: Sendable {
  /// Pieces are joined up to this size, in bytes.
  private static let joined = 16_384
  private var first: Data?
  private var rest: [Data] = []
  /// The start of the remaining bytes; those before were taken.
  private var begin = 0
  /// The number of waiting bytes.
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

  /// Removes and returns the next piece, which is never empty; nil when none waits.
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

  private mutating func add(_ piece: Data) {
    if first == nil { first = piece } else { rest.append(piece) }
  }

  /// Extends the last piece if it stays small enough; returns false otherwise.
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
