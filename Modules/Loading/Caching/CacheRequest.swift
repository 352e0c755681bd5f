import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The cache-related properties of a request.
struct CacheRequest: Sendable {
  let request: Request
  let directives: CacheControl
  let policy: CachePolicy
  /// Whether the app set a condition.
  let isConditional: Bool
  /// Whether it requests a range, which only a GET can (RFC 9110 §14.2).
  let asksForRange: Bool

  init(_ request: Request) {
    self.request = request
    policy = request.options.cachePolicy ?? .protocolDefined
    let fields = request.headerFields
    guard !fields.isEmpty else {
      directives = CacheControl()
      isConditional = false
      asksForRange = false
      return
    }
    var directives = CacheControl(of: fields)
    // The equivalent in HTTP/1.0 (RFC 9111 §5.4).
    if !fields.has(.cacheControl), let pragma = fields.value(of: .pragma),
      FieldList(pragma).contains(where: { $0.lowercased() == "no-cache" })
    {
      directives.noCache = .response
    }
    self.directives = directives
    isConditional = fields.contains { Self.conditions.contains($0.name) }
    asksForRange = request.method == .get && fields.has(.range)
  }

  /// Whether a stored response may be used at all.
  var mayUseStored: Bool { !(policy == .reload || policy == .noStore) }
  /// Whether the response may be stored.
  var mayStore: Bool { !(policy == .noStore || directives.noStore) && request.method == .get }
  /// Whether it offers no codings because it needs the content itself, uncoded.
  ///
  /// A range refers to the uncoded content.
  var needsUncoded: Bool { asksForRange || request.options.decodesContent == false }
  /// Whether the network must not be used.
  var isOnlyForStored: Bool { policy == .returnStoredDontLoad || directives.onlyIfCached }
  /// Whether it can wait for the response to an equal request.
  var mayShare: Bool {
    request.method == .get && request.options.delivery == .collected && !isConditional && !asksForRange && mayStore
      && (policy == .protocolDefined || policy == .returnStoredElseLoad) && directives.noCache == nil
      && directives.maxAge == nil
  }

  /// The request to send, with directives for caches on the way.
  var outgoing: Request { request.withDirectives(of: policy) }

  /// Returns the conditional request that validates a stored response.
  ///
  /// Nil if the response has no validator.
  func validating(_ stored: StoredResponse) -> Request? {
    guard !isConditional else { return nil }
    let fields = stored.head.headerFields
    let tag = fields.first { $0.name == .eTag }
    let modified = fields.first { $0.name == .lastModified }
    guard tag != nil || modified != nil else { return nil }
    var request = outgoing
    // As bytes: a tag need not be UTF-8 (RFC 9110 §8.8.3).
    for (name, field) in [(HTTPField.Name.ifNoneMatch, tag), (.ifModifiedSince, modified)] {
      guard let field else { continue }
      request.headerFields.append(field.withUnsafeBytesOfValue { HTTPField(name: name, lenientValue: $0) })
    }
    return request
  }

  private static let conditions: [HTTPField.Name] = [
    .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange,
  ]
}

extension Request {
  /// Returns the request with what its cache policy says to caches on the way (Fetch §4.5).
  ///
  /// The fields of the request itself stay.
  func withDirectives(of policy: CachePolicy) -> Request {
    var request = self
    switch policy {
    case .protocolDefined, .returnStoredElseLoad, .returnStoredDontLoad: break
    case .reload, .noStore:
      if request.headerFields[.pragma] == nil { request.headerFields[.pragma] = "no-cache" }
      if request.headerFields[.cacheControl] == nil { request.headerFields[.cacheControl] = "no-cache" }
    case .revalidate:
      if request.headerFields[.cacheControl] == nil { request.headerFields[.cacheControl] = "max-age=0" }
    }
    return request
  }
}

extension HTTPField.Name {
  // Safe because `pragma` is a token.
  fileprivate static let pragma = HTTPField.Name("pragma") ?? .cacheControl
}
