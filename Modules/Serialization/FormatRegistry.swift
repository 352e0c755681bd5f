public import CurlewCore
public import FoundationEssentials

/// The formats that a session reads and writes, each with a name and media types.
///
/// A response is read by the format whose media types match its own most closely (an exact type, then a structured suffix such as
/// `+json`, then a wildcard; among equals the earlier one), into the type that the caller asks for. Values are sent in the first
/// format, or in another that `RequestContent.encoded(_:as:)` names. `Accept` offers all formats, the first one most.
///
/// ```swift
/// var configuration = SessionConfiguration(.shared(transport))
/// configuration.formats.add(.json)
/// configuration.formats.add(.yaml)
/// let session = HTTPSession(configuration)
/// let bird: Bird = try await session.get("https://example.com/birds/7")  // sent as JSON or as YAML
/// try await session.post("https://example.com/birds", .encoded(bird, as: "yaml"))
/// ```
///
/// A format with the name of another one takes its place, so that a format of Curlew's is replaced like any other:
/// `formats.add(MyJSON())`, if the name of `MyJSON` is `json`.
public struct FormatRegistry: Sendable {
  /// The formats, in the order of preference; no two have the same name.
  public private(set) var all: [any ValueCoding] = []
  /// Whether the first bytes choose the format if the media type chooses none; false by default.
  ///
  /// Set it for servers that send a format as `text/plain` or without a type. Every media type is then accepted, and a body that
  /// no format recognizes is an error of kind `unacceptableContentType`.
  public var sniffs = false

  /// Creates a registry; of several formats with the same name, the last one stays.
  public init(_ formats: [any ValueCoding] = []) {
    for format in formats { add(format) }
  }

  /// Adds a format behind the others, or in the place of the one with the same name.
  public mutating func add(_ format: some ValueCoding) {
    if let place = all.firstIndex(where: { $0.name == format.name }) {
      all[place] = format
    } else {
      all.append(format)
    }
  }

  /// Removes the format with a name; does nothing if there is none.
  public mutating func remove(named name: String) { all.removeAll { $0.name == name } }

  /// Whether there is no format.
  public var isEmpty: Bool { all.isEmpty }

  /// The preferred format; nil if there is none.
  ///
  /// Setting it replaces the first format, and removes another one with the same name. Nil removes the first format.
  public var first: (any ValueCoding)? {
    get { all.first }
    set {
      if !all.isEmpty { all.removeFirst() }
      guard let newValue else { return }
      remove(named: newValue.name)
      all.insert(newValue, at: 0)
    }
  }

  /// The format with a name; nil if there is none.
  public subscript(name: String) -> (any ValueCoding)? { all.first { $0.name == name } }

  /// Returns the format for a media type or first bytes; nil if none matches.
  ///
  /// - Parameter prefix: The first bytes, which are looked at only when no media type matches; nil never looks at them.
  public func format(for mediaType: MediaType?, sniffing prefix: Data? = nil) -> (any ValueCoding)? {
    if let mediaType {
      var best: (match: MediaType.Match, format: any ValueCoding)?
      for format in all {
        let types = format.validation.mediaTypes ?? [.any]
        guard let match = types.compactMap({ $0.match(mediaType) }).max() else { continue }
        if best.map({ match > $0.match }) ?? true { best = (match, format) }
      }
      if let best { return best.format }
    }
    guard let prefix else { return nil }
    return all.first { $0.recognizes(prefix) }
  }

  /// The value of `Accept`: all formats, with falling preference (RFC 9110 §12.5.1).
  ///
  /// Nil if there is no format.
  public var accept: String? {
    guard !all.isEmpty else { return nil }
    return all.enumerated().map { index, format in
      let type = format.mediaType.description
      // Ten formats fall from 1 to 0.1; all further ones have 0.1, because 0 would refuse them.
      return index == 0 ? type : "\(type);q=\(QualityValue(thousandths: max(100, 1000 - 100 * index)))"
    }.joined(separator: ", ")
  }
}

extension FormatRegistry {
  /// Which responses the formats accept together.
  package var validation: ResponseValidation {
    let each = all.map(\.validation)
    guard each.count > 1 || sniffs else { return each.first ?? ResponseValidation() }
    var statuses: Set<Int>? = []
    var mediaTypes: [MediaType]? = sniffs ? nil : []
    for validation in each {
      statuses = validation.statuses.flatMap { statuses?.union($0) }
      mediaTypes = validation.mediaTypes.flatMap { types in mediaTypes.map { $0 + types } }
    }
    return ResponseValidation(
      statuses: statuses, mediaTypes: mediaTypes, maximumBytes: each.map(\.maximumBytes).max() ?? 0)
  }

  /// Returns the format that reads a response.
  ///
  /// The first one reads what has no media type and is acceptable without, such as a 204 or bytes without a head.
  ///
  /// - Throws: `unacceptableContentType` if the body is of no format; `bodyTooLarge` beyond the format's own limit.
  package func format(of head: ResponseHead?, _ body: Data) throws(NetworkError) -> any ValueCoding {
    guard let first = all.first else { throw NetworkError.noFormats(.decoding).keeping(head, body) }
    guard all.count > 1 || sniffs else { return first }
    let type = head?.mediaType
    guard
      let format = format(for: type, sniffing: sniffs ? body.prefix(512) : nil)
        ?? (sniffs && !body.isEmpty ? nil : first)
    else {
      throw NetworkError(
        .unacceptableContentType, stage: .validating,
        message:
          "Neither the content type \(type?.essence ?? "(none)") nor the first bytes are of a format that the session has "
          + "(\(names))."
      ).keeping(head, body)
    }
    let limit = format.validation.maximumBytes
    guard body.count <= limit else {
      throw NetworkError(
        .bodyTooLarge, stage: .validating,
        message: "The body is larger than \(limit) bytes, the limit of \(format.name)."
      ).keeping(head, body)
    }
    return format
  }

  /// The names of the formats, for messages.
  package var names: String { all.map(\.name).joined(separator: ", ") }
}

extension NetworkError {
  /// Returns the error of a call that needs a format, in a session without one.
  package static func noFormats(_ stage: Stage) -> NetworkError {
    NetworkError(
      .unsupported, stage: stage,
      message:
        "The session has no format for values.",
      advice: "Add one with SessionConfiguration.formats.add, such as .json of CurlewJSON."
    )
  }
}

/// A format: it reads and writes `Codable` values, and has a name and media types.
///
/// A session has a `FormatRegistry` of them. A format's module has one, such as CurlewJSON's `JSONCoding`; implement the protocol
/// for a format of your own. It is a value type and is called from any isolation, by many tasks at once.
///
/// ```swift
/// struct LinesCoding: ValueCoding {
///   var mediaType: MediaType { .plainText }
///   var name: String { "lines" }
///   func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
///     try LinesDecoder().decode(type, from: body)
///   }
///   func encode(_ value: some Encodable) throws -> Data { try LinesEncoder().encode(value) }
/// }
/// extension ValueCoding where Self == LinesCoding { static var lines: LinesCoding { LinesCoding() } }
/// ```
public protocol ValueCoding: Sendable {
  /// The name of the format, such as `json`; by default the subtype of `mediaType`.
  var name: String { get }
  /// The type that bodies are sent with, and that is asked for in `Accept`.
  var mediaType: MediaType { get }
  /// Which responses are accepted; by default successful ones of `mediaType`.
  var validation: ResponseValidation { get }
  /// Returns whether the first bytes of a body are of this format; by default false.
  ///
  /// A session asks only if `FormatRegistry.sniffs` is set and the media type says nothing.
  ///
  /// - Parameter prefix: Up to 512 bytes.
  func recognizes(_ prefix: Data) -> Bool
  /// Returns the value of a body.
  ///
  /// - Throws: Any error; it becomes the cause of a `NetworkError` of kind `serializationFailed`.
  func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value
  /// Returns the bytes of a value.
  ///
  /// - Throws: Any error; it becomes the cause of a `NetworkError` of kind `serializationFailed`.
  func encode(_ value: some Encodable) throws -> Data
}

extension ValueCoding {
  /// The subtype of `mediaType` without `x-`, such as `json` and `plist`.
  public var name: String {
    let subtype = mediaType.subtype
    return subtype.hasPrefix("x-") ? String(subtype.dropFirst(2)) : subtype
  }

  /// Successful responses of `mediaType`.
  public var validation: ResponseValidation { ResponseValidation(mediaTypes: [mediaType]) }

  /// False: the format is known by its media type only.
  public func recognizes(_ prefix: Data) -> Bool { false }
}

/// Decodes a value with a format, or with the one of several that a response is in.
///
/// Of several formats, none is asked for `Data`: it is the bytes of a body of any type.
public struct CodingResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer, FormattedSerializer {
  /// Which responses are accepted; those of the formats by default.
  public var validation: ResponseValidation
  /// The formats that read the body; its media type chooses.
  public let formats: FormatRegistry

  /// Creates a serializer with one format.
  public init(_ type: Value.Type = Value.self, by coding: any ValueCoding) {
    formats = FormatRegistry([coding])
    validation = formats.validation
  }

  /// Creates a serializer with several formats.
  public init(_ type: Value.Type = Value.self, by formats: FormatRegistry) {
    self.formats = Value.self == Data.self ? FormatRegistry() : formats
    validation = self.formats.validation
  }

  /// Returns the decoded value.
  ///
  /// - Throws: The error of the format; `NetworkError` of kind `unacceptableContentType` if no format reads the body.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    if formats.isEmpty, let bytes = body as? Value { return bytes }
    return try formats.format(of: head, body).decode(Value.self, from: body, head)
  }
}

/// A response serializer that has formats, whatever the type of its values.
package protocol FormattedSerializer {
  /// The formats that read the body.
  var formats: FormatRegistry { get }
}
