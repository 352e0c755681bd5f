public import FoundationEssentials

extension JSONValue {
  /// Reads a JSON document (RFC 8259) from bytes, strictly.
  ///
  /// - Throws: ``JSONError`` with kind, offset, line and column when the bytes are no JSON document or go beyond a
  ///   limit of `options`. No input traps, and none takes more than a fixed multiple of its size in memory.
  public init(
    parsing bytes: UnsafeRawBufferPointer, options: JSONParsingOptions = JSONParsingOptions()
  ) throws(JSONError) {
    do {
      self = try DocumentParser.parse(bytes, options: options)
    } catch {
      throw JSONError(error, in: bytes)
    }
  }

  /// Reads a JSON document from `Data`; see ``init(parsing:options:)-(UnsafeRawBufferPointer,_)``.
  public init(parsing data: Data, options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError) {
    self = try data.withUnsafeBytes { bytes in Self.result(bytes, options) }.get()
  }

  /// Reads a JSON document from an array of bytes.
  public init(parsing bytes: [UInt8], options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError) {
    self = try bytes.withUnsafeBytes { bytes in Self.result(bytes, options) }.get()
  }

  /// Reads a JSON document from a string.
  public init(parsing text: String, options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError) {
    var text = text
    self = try text.withUTF8 { bytes in Self.result(UnsafeRawBufferPointer(bytes), options) }.get()
  }

  private static func result(
    _ bytes: UnsafeRawBufferPointer, _ options: JSONParsingOptions
  ) -> Result<JSONValue, JSONError> {
    do throws(JSONError) {
      return .success(try JSONValue(parsing: bytes, options: options))
    } catch {
      return .failure(error)
    }
  }
}
