public import FoundationEssentials

extension JSONValue {
  /// Parses a JSON document (RFC 8259) strictly.
  ///
  /// - Throws: ``JSONError`` with kind, offset, line and column when the bytes are not a JSON document or exceed a
  ///   limit of `options`. No input traps, and memory stays within a fixed multiple of the input's size.
  public init(
    parsing bytes: UnsafeRawBufferPointer, options: JSONParsingOptions = JSONParsingOptions()
  ) throws(JSONError) {
    do {
      self = try DocumentParser.parse(bytes, options: options)
    } catch {
      throw JSONError(error, in: bytes)
    }
  }

  /// Parses a JSON document in a `Data`.
  ///
  /// See ``init(parsing:options:)-(UnsafeRawBufferPointer,_)``.
  public init(parsing data: Data, options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError) {
    self = try data.withUnsafeBytes { bytes in Self.result(bytes, options) }.get()
  }

  /// Parses a JSON document in an array of bytes.
  public init(parsing bytes: [UInt8], options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError) {
    self = try bytes.withUnsafeBytes { bytes in Self.result(bytes, options) }.get()
  }

  /// Parses a JSON document in a string.
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
