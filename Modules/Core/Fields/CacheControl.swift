public import HTTPTypes

/// The directives of a `Cache-Control` field, of requests and responses (RFC 9111 §5.2).
///
/// Spans are in seconds, 0 to 2^31; a larger number counts as 2^31. Where a directive occurs
/// twice the first span counts and the stricter of two lists of fields. What would keep a
/// response fresh but cannot be read counts as 0, so that the response is stale (§4.2.1); what
/// would allow a stale one to be used and cannot be read is ignored.
public struct CacheControl: Sendable, Hashable {
  /// The most directives that are read; later ones are ignored.
  public static let maximumDirectives = 128

  /// The reach of `no-cache` and `private`: the whole response, or some of its fields.
  public enum Reach: Sendable, Hashable {
    /// The response as a whole.
    case response
    /// These fields only.
    case fields([HTTPField.Name])
  }

  /// How old a response may be that a request still takes.
  public enum Staleness: Sendable, Hashable {
    /// As stale as it likes.
    case any
    /// Stale for at most so many seconds.
    case seconds(Int64)
  }

  /// `max-age`: how long a response is fresh, or how old one may be for a request.
  public var maxAge: Int64?
  /// `s-maxage`: the same for shared caches.
  public var sharedMaxAge: Int64?
  /// `max-stale`: a request takes stale responses.
  public var maxStale: Staleness?
  /// `min-fresh`: a request wants a response that stays fresh so long.
  public var minFresh: Int64?
  /// `stale-while-revalidate`: stale use while asking again (RFC 5861).
  public var staleWhileRevalidate: Int64?
  /// `stale-if-error`: stale use when asking fails (RFC 5861).
  public var staleIfError: Int64?
  /// `no-cache`: not without asking again.
  public var noCache: Reach?
  /// `private`: not in shared caches.
  public var onlyPrivate: Reach?
  /// `no-store`: not at all.
  public var noStore = false
  /// `no-transform`: as it is.
  public var noTransform = false
  /// `only-if-cached`: a request that must not reach the network.
  public var onlyIfCached = false
  /// `must-revalidate`: never stale.
  public var mustRevalidate = false
  /// `proxy-revalidate`: never stale from a shared cache.
  public var proxyRevalidate = false
  /// `must-understand`: only by a cache that knows the status code.
  public var mustUnderstand = false
  /// `public`: also where caches would not store by themselves.
  public var isPublic = false
  /// `immutable`: does not change while fresh (RFC 8246).
  public var immutable = false
  /// All other directives; a value is empty where none was given.
  public var extensions: [FieldParameter] = []

  /// Creates a field without directives.
  public init() {}

  /// Reads the `Cache-Control` lines of a message; no line means no directive.
  public init(of fields: HTTPFields) {
    self.init()
    if let value = fields.value(of: .cacheControl) { take(value) }
  }
}
