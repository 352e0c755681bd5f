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

extension CacheControl {
  /// Reads a field value, or several that were joined; it never fails.
  public init(_ value: String) {
    self.init()
    take(value)
  }

  mutating func take(_ value: String) {
    let bytes = value.utf8Span.span
    var elements = FieldList(value).makeIterator()
    var count = 0
    while count < Self.maximumDirectives, let element = elements.nextRange() {
      count += 1
      if let directive = Directive(bytes.extracting(element)) { take(directive) }
    }
  }

  private mutating func take(_ directive: Directive) {
    // The frequent directives come first, because each name costs a comparison of lengths.
    switch directive.name {
    case "max-age": maxAge = maxAge ?? directive.seconds ?? 0
    case "no-store": noStore = true
    case "no-cache": noCache = Self.stricter(noCache, directive.reach)
    case "private": onlyPrivate = Self.stricter(onlyPrivate, directive.reach)
    case "public": isPublic = isPublic || directive.isBare
    case "must-revalidate": mustRevalidate = true
    case "immutable": immutable = immutable || directive.isBare
    case "s-maxage": sharedMaxAge = sharedMaxAge ?? directive.seconds ?? 0
    case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? directive.seconds
    case "stale-if-error": staleIfError = staleIfError ?? directive.seconds
    case "min-fresh": minFresh = minFresh ?? directive.seconds ?? DeltaSeconds.largest
    case "max-stale": maxStale = maxStale ?? directive.staleness
    case "no-transform": noTransform = true
    case "only-if-cached": onlyIfCached = true
    case "proxy-revalidate": proxyRevalidate = true
    case "must-understand": mustUnderstand = mustUnderstand || directive.isBare
    default:
      if extensions[directive.name.text] == nil {
        extensions.append(FieldParameter(name: directive.name.text, value: directive.value ?? ""))
      }
    }
  }

  private static func stricter(_ present: Reach?, _ added: Reach) -> Reach {
    guard case .fields(let some)? = present, case .fields(let more) = added else {
      return present == nil ? added : .response
    }
    let names = some + more.filter { !some.contains($0) }
    return names.count <= maximumDirectives ? .fields(names) : .response
  }
}

/// A directive as sent.
private struct Directive {
  /// A name in lower case.
  struct Name {
    let text: String

    /// Compares the lengths first, because two unequal strings take long to compare.
    static func ~= (known: String, name: Name) -> Bool {
      name.text.utf8.count == known.utf8.count && name.text == known
    }
  }

  let name: Name
  /// The value without quotes; nil without `=`.
  let value: String?
  /// Whether text follows that does not match the grammar.
  let isMalformed: Bool

  init?(_ bytes: Span<UInt8>) {
    var index = 0
    FieldSyntax.skipToken(bytes, &index)
    guard index > 0 else { return nil }
    name = Name(text: String(lowercasing: bytes, 0..<index))
    guard FieldSyntax.skip(0x3D, bytes, &index) else {
      value = nil
      isMalformed = index < bytes.count
      return
    }
    if index < bytes.count, bytes[index] == 0x22 {
      let quoted = FieldSyntax.quotedString(bytes, &index)
      value = quoted.value
      isMalformed = !quoted.terminated || index < bytes.count
    } else {
      let start = index
      FieldSyntax.skipToken(bytes, &index)
      value = String(copying: bytes, start..<index)
      isMalformed = index == start || index < bytes.count
    }
  }

  /// Whether the directive has no value.
  var isBare: Bool { value == nil && !isMalformed }

  var seconds: Int64? {
    guard let value, !isMalformed else { return nil }
    return DeltaSeconds.parse(value)
  }

  var staleness: CacheControl.Staleness? {
    if isBare { return .any }
    return seconds.map { .seconds($0) }
  }

  /// The affected fields; a list without a usable name means the whole response.
  var reach: CacheControl.Reach {
    guard let value, !isMalformed else { return .response }
    var names: [HTTPField.Name] = []
    for element in FieldList(value) {
      guard names.count < CacheControl.maximumDirectives, let name = HTTPField.Name(String(element))
      else { return .response }
      if !names.contains(name) { names.append(name) }
    }
    return names.isEmpty ? .response : .fields(names)
  }
}
