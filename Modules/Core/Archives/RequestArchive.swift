import FoundationEssentials
import HTTPTypes

/// A request in a form that can be stored, with a list of what was omitted.
///
/// `Request` is `Codable` through this type; use it directly to learn what an archive omits:
/// ```swift
/// let archive = try JSONDecoder().decode(RequestArchive.self, from: data)
/// guard archive.omittedSecrets.isEmpty else { return askForCredentials(archive.request) }
/// ```
/// Unless the encoder's `userInfo` has `includesSecrets`, the archive omits the secrets that `Redaction.standard` names:
/// header fields, user information of the URL, and items of its query and fragment. The body is stored unchanged. An archive
/// begins with a version; a reader rejects versions that it does not know.
public struct RequestArchive: Sendable, Codable {
  /// The request, without the omitted secrets.
  public var request: Request
  /// The names of the omitted fields and query items, in lower case.
  ///
  /// The name `user` means the URL's user information.
  public private(set) var omittedSecrets: [String]

  /// Creates an archive of a request; secrets are omitted when it is encoded.
  public init(_ request: Request) {
    self.request = request
    omittedSecrets = []
  }

  private enum Key: String, CodingKey {
    case version, method, url, headerFields, body, options, omittedSecrets
  }

  /// Reads an archive.
  ///
  /// - Throws: `DecodingError` for an unsupported version, and for a missing or invalid part.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try ArchiveFormat.check(container, .version)
    guard let method = HTTPRequest.Method(try container.decode(String.self, forKey: .method)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .method, in: container, debugDescription: "The method is not a token (RFC 9110 §9.1).")
    }
    request = Request(
      method, try container.decode(ArchivedURL.self, forKey: .url).url,
      headerFields: try container.decode(ArchivedFields.self, forKey: .headerFields).fields,
      body: try container.decode(Body.self, forKey: .body),
      options: try container.decode(RequestOptions.self, forKey: .options))
    omittedSecrets = try container.decodeIfPresent([String].self, forKey: .omittedSecrets) ?? []
  }

  /// Writes the archive.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` for a body that is a stream, and of kind `bodyTooLarge` for more bytes
  ///   than `Body.archivedBytesLimit`; also the errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var fields = request.headerFields
    var url = request.url
    var omitted = omittedSecrets
    if !encoder.includesSecrets {
      omitted += Redaction.standard.removeSecrets(from: &fields)
      omitted += Redaction.standard.removeSecrets(from: &url)
    }
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(ArchiveFormat.version, forKey: .version)
    try container.encode(request.method.rawValue, forKey: .method)
    try container.encode(ArchivedURL(url), forKey: .url)
    try container.encode(ArchivedFields(fields), forKey: .headerFields)
    try container.encode(request.body, forKey: .body)
    try container.encode(request.options, forKey: .options)
    if !omitted.isEmpty { try container.encode(Array(Set(omitted)).sorted(), forKey: .omittedSecrets) }
  }
}

extension Request: Codable {
  /// Reads a request; use `RequestArchive` to learn which secrets it lacks.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws { self = try RequestArchive(from: decoder).request }

  /// Writes the request, by default without its secrets.
  ///
  /// Set `includesSecrets` in the encoder's `userInfo` to include them.
  ///
  /// - Throws: `NetworkError` for a body that cannot be stored; see `RequestArchive`.
  public func encode(to encoder: any Encoder) throws { try RequestArchive(self).encode(to: encoder) }
}
