public import HTTPTypes

/// The directives of `Cache-Control` in requests and responses (RFC 9111 §5.2).
///
/// Durations are in seconds, from 0 to 2^31; larger numbers become 2^31. If a directive occurs twice, the first duration
/// counts, and the stricter of two field lists. Directives that cannot be read make a cache more careful, not less (§4.2.1): a
/// duration that would keep a response fresh becomes 0, and permission to use a stale response is ignored.
public struct CacheControl: Sendable, Hashable {
  /// The most directives that are read; later ones are ignored.
  public static let maximumDirectives = 128

  /// The scope of `no-cache` and `private`.
  public enum Reach: Sendable, Hashable {
    /// The whole response.
    case response
    /// Only these fields.
    case fields([HTTPField.Name])
  }

  /// How stale a response may be for a request to accept it.
  public enum Staleness: Sendable, Hashable {
    /// A response of any age.
    case any
    /// A response that has been stale for at most this many seconds.
    case seconds(Int64)
  }

  /// `max-age`: how long a response is fresh, or the oldest response to accept.
  public var maxAge: Int64?
  /// `s-maxage`: how long a response is fresh in a shared cache.
  public var sharedMaxAge: Int64?
  /// `max-stale`: the request accepts stale responses.
  public var maxStale: Staleness?
  /// `min-fresh`: the response must stay fresh for at least this long.
  public var minFresh: Int64?
  /// `stale-while-revalidate`: how long to use it during revalidation (RFC 5861).
  public var staleWhileRevalidate: Int64?
  /// `stale-if-error`: how long to use it if revalidation fails (RFC 5861).
  public var staleIfError: Int64?
  /// `no-cache`: the response must be validated before each use.
  public var noCache: Reach?
  /// `private`: shared caches must not store the response.
  public var onlyPrivate: Reach?
  /// `no-store`: no cache may store the response.
  public var noStore = false
  /// `no-transform`: intermediaries must not change the content.
  public var noTransform = false
  /// `only-if-cached`: the request must not reach the network.
  public var onlyIfCached = false
  /// `must-revalidate`: the response must not be used when stale.
  public var mustRevalidate = false
  /// `proxy-revalidate`: shared caches must not use the response when stale.
  public var proxyRevalidate = false
  /// `must-understand`: only caches that know the status code may store it.
  public var mustUnderstand = false
  /// `public`: caches may store a response that they otherwise would not.
  public var isPublic = false
  /// `immutable`: the response does not change while it is fresh (RFC 8246).
  public var immutable = false
  /// All other directives; the value is empty if none was given.
  public var extensions: [FieldParameter] = []

  /// Creates a field without directives.
  public init() {}

  /// Reads all `Cache-Control` lines of a message, if any.
  public init(of fields: HTTPFields) {
    self.init()
    if let value = fields.value(of: .cacheControl) { take(value) }
  }
}

extension CacheControl: CustomStringConvertible {
  /// The field value; empty without directives.
  ///
  /// Extensions that no field can carry are omitted.
  public var description: String {
    var directives: [String] = []
    func add(_ name: String, _ seconds: Int64?) {
      if let seconds { directives.append("\(name)=\(min(max(seconds, 0), DeltaSeconds.largest))") }
    }
    func add(_ name: String, _ reach: Reach?) {
      switch reach {
      case nil: break
      case .response?: directives.append(name)
      case .fields(let names)?:
        directives.append(name + "=\"" + names.map(\.rawName).joined(separator: ", ") + "\"")
      }
    }
    func add(_ name: String, _ isSet: Bool) {
      if isSet { directives.append(name) }
    }
    add("public", isPublic)
    add("private", onlyPrivate)
    add("max-age", maxAge)
    add("s-maxage", sharedMaxAge)
    switch maxStale {
    case nil: break
    case .any?: directives.append("max-stale")
    case .seconds(let seconds)?: add("max-stale", seconds)
    }
    add("min-fresh", minFresh)
    add("no-cache", noCache)
    add("no-store", noStore)
    add("no-transform", noTransform)
    add("only-if-cached", onlyIfCached)
    add("must-revalidate", mustRevalidate)
    add("proxy-revalidate", proxyRevalidate)
    add("must-understand", mustUnderstand)
    add("immutable", immutable)
    add("stale-while-revalidate", staleWhileRevalidate)
    add("stale-if-error", staleIfError)
    for parameter in extensions where FieldSyntax.isToken(parameter.name) {
      guard FieldSyntax.isQuotable(parameter.value) else { continue }
      directives.append(
        parameter.value.isEmpty
          ? parameter.name : parameter.name + "=" + FieldSyntax.quoted(parameter.value))
    }
    return directives.joined(separator: ", ")
  }
}
