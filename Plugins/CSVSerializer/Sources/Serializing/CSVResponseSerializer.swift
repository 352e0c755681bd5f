public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Decodes the rows of a CSV body as `Decodable` values.
///
/// The media type's parameter `header` decides whether there is a header, and its charset how the text is read; UTF-8 by default.
public struct CSVResponseSerializer<Row: Decodable & Sendable>: ResponseSerializer {
  /// Which responses are accepted; successful ones of a CSV type by default.
  public var validation = ResponseValidation(mediaTypes: CSVMediaTypes.accepted)
  /// How rows are decoded, with the limits.
  public var decoder: CSVDecoder

  /// Creates a serializer.
  public init(_ type: Row.Type = Row.self, decoder: CSVDecoder = CSVDecoder()) { self.decoder = decoder }

  /// Returns the decoded rows; an empty body has none.
  ///
  /// - Throws: ``CSVError`` with the line and the column; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> [Row] {
    var decoder = decoder
    let (text, options) = try CSVMediaTypes.read(head, body, decoder.options)
    decoder.options = options
    return try decoder.decode([Row].self, from: text)
  }
}

/// Reads a CSV body as a table of text.
public struct CSVTableResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of a CSV type by default.
  public var validation = ResponseValidation(mediaTypes: CSVMediaTypes.accepted)
  /// The syntax of the text, and limits.
  public var options: CSVOptions

  /// Creates a serializer.
  public init(options: CSVOptions = CSVOptions()) { self.options = options }

  /// Returns the table.
  ///
  /// - Throws: ``CSVError`` with the line and the column; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> CSVTable {
    let (text, options) = try CSVMediaTypes.read(head, body, options)
    return try CSVTable(parsing: text, options: options)
  }
}

extension ResponseSerializer where Self == CSVTableResponseSerializer {
  /// Reads the body as a table of text.
  public static var csvTable: CSVTableResponseSerializer { CSVTableResponseSerializer() }
}

extension ResponseSerializer {
  /// Decodes the rows of the body.
  public static func csv<Row>(
    _ type: Row.Type = Row.self, decoder: CSVDecoder = CSVDecoder()
  ) -> CSVResponseSerializer<Row> where Self == CSVResponseSerializer<Row> {
    CSVResponseSerializer(type, decoder: decoder)
  }
}
