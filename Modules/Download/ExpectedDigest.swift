public import CurlewCore
public import CurlewDigests
public import FoundationEssentials

/// The digest that a file must have.
public struct ExpectedDigest: Sendable, Hashable, CustomStringConvertible {
  /// The hash function.
  public let algorithm: DigestAlgorithm
  /// The bytes of the digest, `algorithm.length` of them.
  public let value: Data

  /// Creates an expectation from the bytes of a digest.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` if the value has the wrong length.
  public init(_ algorithm: DigestAlgorithm, _ value: Data) throws(NetworkError) {
    guard value.count == algorithm.length else {
      throw Self.malformed("\(algorithm.name) has \(algorithm.length) bytes, not \(value.count)")
    }
    self.algorithm = algorithm
    self.value = value
  }

  /// Reads `sha-256:HEX`, the form of `description`.
  ///
  /// It throws rather than be absent, since a file would go unchecked without it.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` for an unknown algorithm, a wrong length or an invalid character, such as a line's end.
  public init(_ text: String) throws(NetworkError) {
    guard let colon = text.firstIndex(of: ":"), let algorithm = DigestAlgorithm(name: String(text[..<colon])),
      let value = Data(hexadecimal: text[text.index(after: colon)...])
    else { throw Self.malformed("write it as sha-256: and 64 hexadecimal digits, and nothing else") }
    try self.init(algorithm, value)
  }

  private static func malformed(_ reason: String) -> NetworkError {
    NetworkError(.invalidRequest, stage: .preparing, message: "The expected digest is malformed: \(reason).")
  }

  /// The name of the algorithm, a colon, and the digest in hexadecimal.
  public var description: String { "\(algorithm.name):\(value.hexadecimal)" }
}

extension Data {
  /// Reads hexadecimal digits in either case; nil for other text.
  fileprivate init?(hexadecimal text: Substring) {
    let digits = text.utf8.map { digit -> UInt8? in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
      default: nil
      }
    }
    guard digits.count.isMultiple(of: 2) else { return nil }
    self.init(capacity: digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      append(high << 4 | low)
    }
  }
}
