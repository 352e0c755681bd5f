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
    if !fields.has(.cacheControl), let pragma = fields.value(of: Self.pragma),
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

  /// The request to send, with directives for caches on the way (Fetch §4.5).
  var outgoing: Request {
    var request = request
    switch policy {
    case .protocolDefined, .returnStoredElseLoad, .returnStoredDontLoad: break
    case .reload, .noStore:
      if request.headerFields[Self.pragma] == nil { request.headerFields[Self.pragma] = "no-cache" }
      if request.headerFields[.cacheControl] == nil { request.headerFields[.cacheControl] = "no-cache" }
    case .revalidate:
      if request.headerFields[.cacheControl] == nil { request.headerFields[.cacheControl] = "max-age=0" }
    }
    return request
  }

  /// Returns the conditional request that validates a stored response.
  ///
  /// Nil if the response has no validator.
  func validating(_ stored: StoredResponse) -> Request? {
    guard !isConditional else { return nil }
    let fields = stored.head.headerFields
    let tag = fields[values: .eTag].first
    let modified = fields[values: .lastModified].first
    guard tag != nil || modified != nil else { return nil }
    var request = outgoing
    request.headerFields[.ifNoneMatch] = tag
    request.headerFields[.ifModifiedSince] = modified
    return request
  }

  // Safe because `pragma` is a token.
  private static let pragma = HTTPField.Name("pragma") ?? .cacheControl
  private static let conditions: [HTTPField.Name] = [
    .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange,
  ]
}
