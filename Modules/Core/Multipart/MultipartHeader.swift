import HTTPTypes

/// Collects the header fields of one part, line by line (RFC 2045 §3, RFC 9110 §5).
struct MultipartHeader: Sendable {
  private(set) var fields = HTTPFields()
  /// The bytes of the lines so far, including line breaks.
  private(set) var byteCount = 0
  private var name: HTTPField.Name?
  private var value: [UInt8] = []
  private var fieldCount = 0

  /// Reads one line without its line break.
  ///
  /// - Parameters:
  ///   - size: The number of bytes, including the line break.
  ///   - position: The offset of the line in the body.
  mutating func read(_ line: [UInt8], size: Int, at position: Int, limit: Int) throws(MultipartError) {
    byteCount += size
    guard let first = line.first else { return finishField() }
    guard !FieldSyntax.isWhitespace(first) else {
      // A line that begins with a blank continues the field before it (RFC 5322 §2.2.3).
      guard name != nil else { throw MultipartError(.invalidFieldName, at: position) }
      value.append(UInt8(ascii: " "))
      return try readValue(line[...], at: position)
    }
    finishField()
    guard fieldCount < limit else { throw MultipartError(.tooManyFields, at: position) }
    fieldCount += 1
    let end = line.firstIndex { !FieldSyntax.isToken($0) } ?? line.count
    guard end > 0, end < line.count, line[end] == UInt8(ascii: ":"),
      let name = HTTPField.Name(String(decoding: line[..<end], as: UTF8.self))
    else {
      if first == 0x0D { throw MultipartError(.invalidLineBreak, at: position + 1) }
      throw MultipartError(.invalidFieldName, at: position + end)
    }
    self.name = name
    try readValue(line[(end + 1)...], at: position + end + 1)
  }

  private mutating func readValue(_ bytes: ArraySlice<UInt8>, at position: Int) throws(MultipartError) {
    for (offset, byte) in bytes.enumerated() {
      if byte == 0x0D { throw MultipartError(.invalidLineBreak, at: position + offset + 1) }
      guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else {
        throw MultipartError(.invalidFieldValue, at: position + offset)
      }
    }
    var content = bytes.drop(while: FieldSyntax.isWhitespace)
    while let last = content.last, FieldSyntax.isWhitespace(last) { content.removeLast() }
    value += content
  }

  private mutating func finishField() {
    guard let name else { return }
    fields.append(HTTPField(name: name, value: value))
    self.name = nil
    value = []
  }
}
