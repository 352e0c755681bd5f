public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// A stored response without its content.
public struct StoredResponse: Sendable, Hashable {
  /// The status and fields, without those of the connection (RFC 9111 §3.1).
  public var head: ResponseHead
  /// When the request was sent that led to it, or to the last 304.
  public var requestedAt: Date
  /// When it, or the last 304, arrived.
  public var receivedAt: Date
  /// The request fields that it depends on besides its key.
  public var selecting: [SelectingField]
  /// The length of the content in bytes.
  public var length: Int64

  /// Creates a response to store.
  public init(
    head: ResponseHead, requestedAt: Date, receivedAt: Date, selecting: [SelectingField] = [], length: Int64 = 0
  ) {
    self.head = head
    self.head.headerFields = Self.kept(head.headerFields)
    self.head.source = .cache
    self.requestedAt = requestedAt
    self.receivedAt = receivedAt
    self.selecting = selecting
    self.length = length
  }

  /// Returns whether a request has the fields that the response depends on.
  ///
  /// - Parameter secret: The secret of its store.
  public func matches(_ fields: HTTPFields, secret: CacheSecret) -> Bool {
    selecting.allSatisfy { SelectingField.fingerprint(of: $0.name, in: fields, secret) == $0.fingerprint }
  }

  /// Returns the fields to store.
  ///
  /// Those of one connection (RFC 9110 §7.6.1) and of a proxy's challenge are removed.
  static func kept(_ fields: HTTPFields) -> HTTPFields {
    var dropped = connectionFields
    for option in FieldList(lines: fields[values: .connection]) {
      if let name = HTTPField.Name(String(option)) { dropped.insert(name) }
    }
    guard fields.contains(where: { dropped.contains($0.name) }) else { return fields }
    return HTTPFields(fields.filter { !dropped.contains($0.name) })
  }

  private static let connectionFields: Set<HTTPField.Name> = Set(
    [
      .connection, .te, .transferEncoding, .upgrade, .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization,
      HTTPField.Name("keep-alive"), HTTPField.Name("proxy-connection"),
    ].compactMap { $0 })
}

/// The record under a key.
public enum CacheRecord: Sendable, Hashable {
  /// A response.
  case response(StoredResponse)
  /// The fields that select a response; it has no content.
  case selector(VariantSelector)
}

extension StoredResponse {
  /// Returns whether a 304 to its own condition confirms the stored response, or a part belongs to it (RFC 9111 §4.3.3).
  func isConfirmed(by head: ResponseHead) -> Bool {
    let fields = self.head.headerFields
    if let tag = head.headerFields[values: .eTag].first, let stored = fields[values: .eTag].first {
      return Self.isSame(tag, stored)
    }
    if let modified = head.headerFields[values: .lastModified].first, fields[.eTag] == nil,
      let stored = fields[values: .lastModified].first
    {
      return modified == stored
    }
    return true
  }

  /// Returns whether a 304 to a condition of the app, or a 200 to `HEAD`, is about the stored content.
  ///
  /// See RFC 9111 §4.3.4 and §4.3.5. One without a validator may be about any other.
  func isDescribed(by head: ResponseHead) -> Bool {
    let (fields, news) = (self.head.headerFields, head.headerFields)
    let stored = fields[values: .contentLength].first
    let announced = news[values: .contentLength].first
    guard hasValidators(of: news), announced == nil || stored == nil || stored == announced else { return false }
    return news.has(.eTag) || news.has(.lastModified) || !fields.has(.eTag) && !fields.has(.lastModified)
  }

  /// Returns whether the stored response has each of the validators.
  private func hasValidators(of news: HTTPFields) -> Bool {
    let fields = head.headerFields
    if let tag = news[values: .eTag].first {
      guard let stored = fields[values: .eTag].first, Self.isSame(tag, stored) else { return false }
    }
    guard let modified = news[values: .lastModified].first else { return true }
    return modified == fields[values: .lastModified].first
  }

  /// Compares entity tags weakly: servers that compress on the fly make strong tags weak.
  private static func isSame(_ tag: String, _ stored: String) -> Bool {
    guard let one = EntityTag(tag), let other = EntityTag(stored) else { return tag == stored }
    return one.matchesWeakly(other)
  }

  /// Returns this response with the fields of a newer head (RFC 9111 §3.2).
  ///
  /// Fields that describe the stored content's coding are kept, because the content does not change.
  func updated(by head: ResponseHead, requestedAt: Date, receivedAt: Date) -> StoredResponse {
    let news = Self.dated(StoredResponse.kept(head.headerFields), receivedAt)
    var replaced = Set(news.map(\.name))
    // The stored `Age` belongs to the earlier response.
    replaced.insert(.age)
    replaced.subtract(Self.describing)
    var fields = self.head.headerFields.filter { !replaced.contains($0.name) }
    fields += news.filter { replaced.contains($0.name) }
    var updated = self
    updated.head.headerFields = HTTPFields(fields)
    updated.requestedAt = requestedAt
    updated.receivedAt = receivedAt
    return updated
  }

  /// Returns the fields with a `Date`, which a recipient adds (RFC 9110 §6.6.1).
  static func dated(_ fields: HTTPFields, _ receivedAt: Date) -> HTTPFields {
    guard fields[.date] == nil else { return fields }
    var fields = fields
    fields[.date] = HTTPDate(receivedAt).description
    return fields
  }

  private static let describing: Set<HTTPField.Name> = [
    .contentLength, .contentEncoding, .contentRange, .transferEncoding,
  ]
}
