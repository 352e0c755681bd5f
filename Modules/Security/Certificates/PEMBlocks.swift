import FoundationEssentials

/// The binary content of PEM text (RFC 7468).
enum PEMBlocks {
  private static let most = 10_000

  /// The blocks with one of the labels, decoded, in order.
  static func of(_ text: Data, labels: Set<String>) throws(SecurityError) -> [Data] {
    var blocks: [Data] = []
    var label: String?
    var base64: [UInt8] = []
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let line = trimmed(line)
      if let name = boundary("BEGIN", line) {
        guard label == nil else { throw malformed }
        label = name
        base64 = []
      } else if let name = boundary("END", line) {
        guard name == label else { throw malformed }
        label = nil
        guard labels.contains(name) else { continue }
        guard let block = Data(base64Encoded: Data(base64)), !block.isEmpty else { throw malformed }
        blocks.append(block)
        guard blocks.count <= most else {
          throw SecurityError(.malformedCertificate, "The PEM text has more than \(most) blocks.")
        }
      } else if let label, labels.contains(label) {
        base64 += line
      }
    }
    guard label == nil else { throw malformed }
    return blocks
  }

  private static let malformed = SecurityError(.malformedCertificate, "The PEM text has a block that cannot be read.")

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
