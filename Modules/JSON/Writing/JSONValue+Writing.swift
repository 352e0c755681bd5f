public import FoundationEssentials

extension JSONValue {
  /// Returns the value as JSON text in UTF-8, without a final line break.
  ///
  /// Every value can be written. A parsed value written as ``JSONFormat/canonical`` represents the same document:
  /// members in source order, numbers digit for digit, strings with only the mandatory escapes (RFC 8259 §7). Stack use
  /// does not grow with the depth.
  public func data(_ format: JSONFormat = .canonical) -> Data {
    Data(bytes(format))
  }

  /// Returns the value as JSON text, without a final line break; see ``data(_:)``.
  public func text(_ format: JSONFormat = .canonical) -> String {
    String(decoding: bytes(format), as: UTF8.self)
  }

  private func bytes(_ format: JSONFormat) -> [UInt8] {
    var writer = JSONWriter(format)
    writer.write(self)
    return writer.bytes
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as canonical JSON text on one line.
  public var description: String { text() }
}

extension JSONObject: CustomStringConvertible {
  /// The object as canonical JSON text on one line.
  public var description: String { JSONValue.object(self).text() }
}
