public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// A response as a cache keeps it, without its content.
public struct StoredResponse: Sendable, Hashable {
  /// Status and fields, without those that belong to the connection (RFC 9111 §3.1).
  public var head: ResponseHead
  /// When the request was sent that it, or the last 304, answered.
  public var requestedAt: Date
  /// When it, or the last 304, arrived.
  public var receivedAt: Date
  /// What it depends on beside its key; empty where it depends on nothing.
  public var selecting: [SelectingField]
  /// How many bytes the content has.
  public var length: Int64

  /// Makes a response to store.
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

  /// Whether a request has the fields it depends on.
  public func matches(_ fields: HTTPFields) -> Bool {
    selecting.allSatisfy { SelectingField.fingerprint(of: $0.name, in: fields) == $0.fingerprint }
  }

  /// The fields without those of one connection (RFC 9110 §7.6.1) and of a proxy's challenge.
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

/// What stands under a key.
public enum CacheRecord: Sendable, Hashable {
  /// A response.
  case response(StoredResponse)
  /// The fields that choose a response; it has no content.
  case selector(VariantSelector)
}
