import Glibc

/// The head of a request, with the parts that the origin itself needs.
///
/// Parsing is lenient, so that a client's mistakes are recorded instead of rejected.
package struct RequestHead: Sendable {
  /// How the body is framed.
  package enum Framing: Sendable, Equatable {
    case none
    case length(Int64)
    case chunked
    /// A Content-Length is not a number, or several differ.
    case broken
  }

  package var raw: [UInt8]
  package var framing = Framing.none
  package var isHTTP10 = false
  package var closes = false
  package var expectsContinue = false

  package init(raw: [UInt8]) {
    self.raw = raw
    var keepsAlive = false
    var isFirst = true
    raw.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while let end = rest.firstIndex(of: 0x0a) {
        var line = rest[..<end]
        rest = rest[(end + 1)...]
        if line.last == 0x0d { line = line.dropLast() }
        if isFirst {
          isHTTP10 = line.suffix(9).elementsEqual(" HTTP/1.0".utf8)
          isFirst = false
          continue
        }
        guard let first = line.first, let colon = line.firstIndex(of: 0x3a) else { continue }
        // Parse only the fields that affect the connection; the others are parsed when a test reads them.
        switch first.asciiLowercased {
        case UInt8(ascii: "c"):
          if line[..<colon].matches("connection") {
            let value = line[(colon + 1)...].lowercasedText
            if value.contains("close") { closes = true }
            if value.contains("keep-alive") { keepsAlive = true }
          } else if line[..<colon].matches("content-length") {
            noteLength(line[(colon + 1)...].lowercasedText)
          }
        case UInt8(ascii: "t"):
          if line[..<colon].matches("transfer-encoding"), line[(colon + 1)...].lowercasedText.hasSuffix("chunked") {
            framing = .chunked
          }
        case UInt8(ascii: "e"):
          if line[..<colon].matches("expect"), line[(colon + 1)...].lowercasedText == "100-continue" {
            expectsContinue = true
          }
        default: break
        }
      }
    }
    if isHTTP10, !keepsAlive { closes = true }
  }

  private mutating func noteLength(_ text: String) {
    guard framing != .chunked else { return }
    guard let length = Int64(text), length >= 0, framing == .none || framing == .length(length) else {
      framing = .broken
      return
    }
    framing = .length(length)
  }

  /// Returns the length of the head at the start of `bytes`, with its empty line.
  ///
  /// Nil while it is incomplete.
  package static func length(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var position = 0
    while position < bytes.count, let found = memchr(base + position, 0x0a, bytes.count - position) {
      let next = UnsafeRawPointer(found) - base + 1
      if next < bytes.count, bytes[next] == 0x0a { return next + 1 }
      if next + 1 < bytes.count, bytes[next] == 0x0d, bytes[next + 1] == 0x0a { return next + 2 }
      position = next
    }
    return nil
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// Returns whether the text equals lower-case ASCII, ignoring case.
  fileprivate func matches(_ lowercase: String) -> Bool {
    count == lowercase.utf8.count && zip(self, lowercase.utf8).allSatisfy { $0.asciiLowercased == $1 }
  }

  /// The text in lower case without surrounding white space.
  fileprivate var lowercasedText: String {
    var bytes = self
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
    return String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
  }
}
