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

extension RequestOptions: Codable {
  private enum Key: String, CodingKey {
    case version, timeouts, cachePolicy, redirectLimit, handlesCookies, priority, allowedNetworks, expectsContinue
    case decodesContent, httpVersion, rateLimit, isIdempotent, delivery, unixSocketPath, addressOverrides, needs
  }

  /// Reads options; a missing option stays unset.
  ///
  /// - Throws: `DecodingError` for an unsupported version, and for an option of the wrong type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try ArchiveFormat.check(container, .version)
    self.init()
    timeouts = try container.decodeIfPresent(Timeouts.self, forKey: .timeouts) ?? Timeouts()
    cachePolicy = try container.decodeIfPresent(CachePolicy.self, forKey: .cachePolicy)
    redirectLimit = try container.decodeIfPresent(Int.self, forKey: .redirectLimit)
    handlesCookies = try container.decodeIfPresent(Bool.self, forKey: .handlesCookies)
    priority = try container.decodeIfPresent(RequestPriority.self, forKey: .priority)
    allowedNetworks = try container.decodeIfPresent(AllowedNetworks.self, forKey: .allowedNetworks)
    expectsContinue = try container.decodeIfPresent(Bool.self, forKey: .expectsContinue)
    decodesContent = try container.decodeIfPresent(Bool.self, forKey: .decodesContent)
    version = try container.decodeIfPresent(VersionPolicy.self, forKey: .httpVersion)
    rateLimit = try container.decodeIfPresent(RateLimit.self, forKey: .rateLimit)
    isIdempotent = try container.decodeIfPresent(Bool.self, forKey: .isIdempotent)
    delivery = try container.decodeIfPresent(ResponseDelivery.self, forKey: .delivery)
    unixSocketPath = try container.decodeIfPresent(String.self, forKey: .unixSocketPath)
    addressOverrides = try container.decodeIfPresent([AddressOverride].self, forKey: .addressOverrides) ?? []
    needs = TransportCapabilities(rawValue: try container.decodeIfPresent(UInt32.self, forKey: .needs) ?? 0)
  }

  /// Writes the options that are set.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(ArchiveFormat.version, forKey: .version)
    if !timeouts.isUnset { try container.encode(timeouts, forKey: .timeouts) }
    try container.encodeIfPresent(cachePolicy, forKey: .cachePolicy)
    try container.encodeIfPresent(redirectLimit, forKey: .redirectLimit)
    try container.encodeIfPresent(handlesCookies, forKey: .handlesCookies)
    try container.encodeIfPresent(priority, forKey: .priority)
    try container.encodeIfPresent(allowedNetworks, forKey: .allowedNetworks)
    try container.encodeIfPresent(expectsContinue, forKey: .expectsContinue)
    try container.encodeIfPresent(decodesContent, forKey: .decodesContent)
    try container.encodeIfPresent(version, forKey: .httpVersion)
    try container.encodeIfPresent(rateLimit, forKey: .rateLimit)
    try container.encodeIfPresent(isIdempotent, forKey: .isIdempotent)
    try container.encodeIfPresent(delivery, forKey: .delivery)
    try container.encodeIfPresent(unixSocketPath, forKey: .unixSocketPath)
    if !addressOverrides.isEmpty { try container.encode(addressOverrides, forKey: .addressOverrides) }
    if !needs.isEmpty { try container.encode(needs.rawValue, forKey: .needs) }
  }
}

extension Redaction {
  /// Removes secrets from header fields, and returns the names of what it removed.
  ///
  /// These are the fields that hold secrets, and the secret parts of fields that hold URLs.
  func removeSecrets(from fields: inout HTTPFields) -> [String] {
    var removed: [String] = []
    var kept = HTTPFields()
    for field in fields {
      if self.fields.contains(field.name) {
        removed.append(field.name.canonicalName)
      } else if Self.hasURL(field.name) {
        let (text, items) = withoutSecrets(field.value)
        removed += items
        kept.append(HTTPField(name: field.name, value: text))
      } else {
        kept.append(field)
      }
    }
    if !removed.isEmpty { fields = kept }
    return removed
  }

  /// Removes secrets from a URL, and returns the names of what it removed.
  ///
  /// These are user information and the secret items of query and fragment.
  func removeSecrets(from url: inout URL) -> [String] {
    let (text, removed) = withoutSecrets(url.absoluteString)
    guard !removed.isEmpty else { return [] }
    // If a URL no longer parses without its secrets, it is omitted entirely.
    url = URL(string: text) ?? URL(filePath: "/")
    return removed
  }

  private func withoutSecrets(_ reference: String) -> (text: String, removed: [String]) {
    var text = reference
    var removed: [String] = []
    if let userInformation = userInformation(in: text) {
      text.removeSubrange(userInformation)
      removed.append("user")
    }
    var kept = ""
    // Without a query or fragment that was removed whole, its `?` or `#` goes too.
    for item in Self.items(of: text) {
      if let name = secretName(of: item.text) {
        removed.append(name)
        if item.separator == "?" || item.separator == "#" { kept += item.separator }
      } else if kept.hasSuffix("?") || kept.hasSuffix("#"), item.separator == "&" || item.separator == ";" {
        kept += item.text
      } else {
        if kept.hasSuffix("?"), item.separator == "#" { kept.removeLast() }
        kept += item.separator + item.text
      }
    }
    if !removed.isEmpty, kept.hasSuffix("?") || kept.hasSuffix("#") { kept.removeLast() }
    return (kept, removed)
  }
}
