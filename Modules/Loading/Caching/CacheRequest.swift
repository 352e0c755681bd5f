import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What a request says to a cache.
struct CacheRequest: Sendable {
  let request: Request
  let directives: CacheControl
  let policy: CachePolicy
  /// Whether it carries a condition of the app's own.
  let isConditional: Bool
  /// Whether it asks for a part.
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
    // What HTTP/1.0 had instead (RFC 9111 §5.4).
    if !fields.has(.cacheControl), let pragma = fields.value(of: Self.pragma),
      FieldList(pragma).contains(where: { $0.lowercased() == "no-cache" })
    {
      directives.noCache = .response
    }
    self.directives = directives
    isConditional = fields.contains { Self.conditions.contains($0.name) }
    asksForRange = fields.has(.range)
  }

  /// Whether a stored response may be used at all.
  var mayUseStored: Bool { !(policy == .reload || policy == .noStore) }
  /// Whether what comes may be stored.
  var mayStore: Bool { !(policy == .noStore || directives.noStore) && request.method == .get }
  /// Whether the network is not to be used.
  var isOnlyForStored: Bool { policy == .returnStoredDontLoad || directives.onlyIfCached }
  /// Whether it can wait for the answer to an equal request.
  var mayShare: Bool {
    request.method == .get && request.options.delivery == .collected && !isConditional && !asksForRange && mayStore
      && (policy == .protocolDefined || policy == .returnStoredElseLoad) && directives.noCache == nil
      && directives.maxAge == nil
  }

  /// The request as it goes to the server, with what its policy tells the caches on the way (Fetch §4.5).
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

  /// The request with the conditions that ask whether a stored response is still right; nil where none can be made.
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
