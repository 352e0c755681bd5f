import FoundationEssentials

/// Reads the binary blocks of PEM text (RFC 7468).
enum PEMBlocks {
  private static let most = 10_000

  /// Returns the values of all blocks with one of the labels, in order.
  ///
  /// A text without such a block is an error.
  ///
  /// - Parameters:
  ///   - what: A word for one value, used in messages.
  ///   - kind: The kind of the error that is thrown.
  static func read<Value>(
    _ text: Data, labels: Set<String>, what: String, else kind: SecurityError.Kind,
    _ make: (_ label: String, Data) throws(SecurityError) -> Value
  ) throws(SecurityError) -> [Value] {
    guard let blocks = blocks(text, labels) else {
      throw SecurityError(kind, "The PEM text has a malformed block, or more than \(most) blocks.")
    }
    guard !blocks.isEmpty else { throw SecurityError(kind, "The text contains no \(what) in PEM.") }
    var values: [Value] = []
    for (label, block) in blocks { values.append(try make(label, block)) }
    return values
  }

  /// Returns the labels and bytes of the blocks, or nil when one is malformed.
  private static func blocks(_ text: Data, _ labels: Set<String>) -> [(String, Data)]? {
    var blocks: [(String, Data)] = []
    var label: String?
    var base64: [UInt8] = []
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let line = trimmed(line)
      if let name = boundary("BEGIN", line) {
        guard label == nil else { return nil }
        label = name
        base64 = []
      } else if let name = boundary("END", line) {
        guard name == label else { return nil }
        label = nil
        guard labels.contains(name) else { continue }
        guard let block = Data(base64Encoded: Data(base64)), !block.isEmpty else { return nil }
        blocks.append((name, block))
        guard blocks.count <= most else { return nil }
      } else if let label, labels.contains(label) {
        base64 += line
      }
    }
    guard label == nil else { return nil }
    return blocks
  }

  private static func boundary(_ word: String, _ line: Data.SubSequence) -> String? {
    let head = "-----\(word) "
    guard line.starts(with: head.utf8), line.suffix(5).elementsEqual("-----".utf8),
      line.count >= head.utf8.count + 5
    else { return nil }
    return String(validating: line.dropFirst(head.utf8.count).dropLast(5), as: UTF8.self)
  }

  private static func trimmed(_ line: Data.SubSequence) -> Data.SubSequence {
    var line = line
    while let last = line.last, last == 0x20 || last == 0x09 { line = line.dropLast() }
    while let first = line.first, first == 0x20 || first == 0x09 { line = line.dropFirst() }
    return line
  }
}
