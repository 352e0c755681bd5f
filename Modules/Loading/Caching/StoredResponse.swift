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
