public import CurlewCore
import CurlewLoading
public import FoundationEssentials
import HTTPTypes

/// The URL against which a session resolves its paths, by AFNetworking's rules.
///
/// The path of a base URL ends with a slash, which is added if it is missing. A path is resolved as a link on a web page is
/// (RFC 3986 §5.2): one that begins with a slash begins at the host, and not below the base URL's path. So a link of a server,
/// such as the next page at `/v1/birds?page=2`, can be requested as it is. Leave the slash out of paths below the base URL.
///
/// ```swift
/// let base = try BaseURL("https://example.com/v1")
/// try base.url(for: "birds/7")                  // https://example.com/v1/birds/7
/// try base.url(for: "/birds/7")                 // https://example.com/birds/7
/// try base.url(for: "birds?kind=curlew")        // https://example.com/v1/birds?kind=curlew
/// try base.url(for: "/status")                  // https://example.com/status
/// try base.url(for: "https://other.example/")   // https://other.example/
/// ```
///
/// Characters that a URL must not contain, such as a space or a letter outside ASCII, are percent-encoded in a path, as in
/// FWFramework. Valid escapes stay unchanged. The result has a canonical host and no dot segments.
///
/// Only a whole URL leads to another server: `//host/path` is refused. A session's own secrets do not go there (`RequestTemplate`);
/// compare `Request.origin` with `origin` before you add credentials to such a request yourself. A text from outside the app becomes
/// one segment of a path, whatever it contains, with `"birds/\(segment: text)"`.
public struct BaseURL: Sendable, Hashable, CustomStringConvertible {
  /// The URL, in canonical form.
  public let url: URL
  /// The origin of the URL.
  public let origin: Origin
  private let reference: URLReference
  /// The origin and the directory, to which plain paths are appended.
  private let directory: String

  /// Reads a base URL from text.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL` unless the text is an absolute `http` or `https` URL without user
  ///   information.
  public init(_ text: String) throws(NetworkError) {
    do throws(URLReferenceError) {
      reference = try URLReference(text).asBase()
      url = try reference.resolved()
      origin = try reference.origin()
      directory = origin.description + reference.directory
    } catch {
      throw Self.refusal(ofBase: text, error)
    }
  }

  /// Creates a base URL from a URL.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL` unless it is an absolute `http` or `https` URL without user information.
  public init(_ url: URL) throws(NetworkError) { try self.init(url.absoluteString) }

  /// Returns the URL of a path.
  ///
  /// - Parameter path: A relative path, an absolute path, a query, or a whole URL; empty for the base URL itself.
  /// - Throws: `NetworkError` of kind `invalidURL`.
  public func url(for path: String) throws(NetworkError) -> URL {
    if let url = url(forPlain: path) { return url }
    return try url(forAny: path)
  }

  /// Returns the URL of a plain path; nil for other paths.
  ///
  /// It costs a fifth of the general resolution. A plain path needs neither percent-encoding nor resolution: it does not begin
  /// with a slash, and contains only letters, digits, `-`, `_`, `~` and slashes, optionally followed by a query. Dots are
  /// allowed only in the query, because in the path they can be dot segments.
  func url(forPlain path: String) -> URL? {
    let bytes = path.utf8Span.span
    guard !bytes.isEmpty, bytes.count < URLReference.limit, bytes[0] != UInt8(ascii: "/"), bytes[0] != UInt8(ascii: "?")
    else {
      return nil
    }
    var isQuery = false
    for place in bytes.indices {
      switch bytes[place] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        continue
      case UInt8(ascii: "?"): isQuery = true
      case UInt8(ascii: "="), UInt8(ascii: "&"), UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: "+"):
        guard isQuery else { return nil }
      default: return nil
      }
    }
    return URL(string: directory + path)
  }

  /// Returns the URL of any path, by the rules of URL references.
  func url(forAny path: String) throws(NetworkError) -> URL {
    do throws(URLReferenceError) {
      let path = try URLReference(path)
      guard !path.hasHostWithoutScheme else { throw .hostWithoutScheme }
      return try path.resolved(against: reference, at: origin)
    } catch {
      throw Self.refusal(ofPath: path, error)
    }
  }

  /// Returns the URL of a path, with or without a base URL.
  ///
  /// Without a base URL, only whole URLs are valid.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL`.
  public static func url(for path: String, relativeTo base: BaseURL?) throws(NetworkError) -> URL {
    if let base { return try base.url(for: path) }
    do throws(URLReferenceError) {
      return try URLReference(path).resolved()
    } catch {
      throw refusal(ofPath: path, error)
    }
  }

  /// The URL with its secrets removed.
  public var description: String { Redaction.standard.redacted(url) }

  /// Returns whether two base URLs have equal URLs.
  public static func == (left: BaseURL, right: BaseURL) -> Bool { left.url == right.url }

  /// Hashes the URL.
  public func hash(into hasher: inout Hasher) { hasher.combine(url) }

  private static func refusal(ofBase text: String, _ error: URLReferenceError) -> NetworkError {
    let name = "The base URL \(shown(text))"
    switch error {
    case .relative where text.allSatisfy(\.isWhitespace): return self.error("The base URL is empty.", anAddress, error)
    case .relative: return self.error("\(name) has no scheme.", withScheme(text) ?? anAddress, error)
    case .scheme(let scheme) where isPort(after: scheme, text):
      return self.error("\(name) has no scheme.", withScheme(text) ?? anAddress, error)
    // What looks like a scheme may be the name or the token of a user.
    case .scheme where text.utf8.contains(UInt8(ascii: "@")):
      return self.error(
        "\(name) has no scheme, and a user.", "Write https:// and a host, and give credentials separately.", error)
    case .scheme(let scheme) where text.dropFirst(scheme.count).hasPrefix("://"):
      return self.error("\(name) \(error.reason).", InvalidOriginError.advice(onScheme: scheme), error)
    case .scheme, .noHost: return self.error("\(name) \(error.reason).", "Write https://, a host and a path.", error)
    default: return self.error("\(name) \(error.reason).", error.advice, error)
    }
  }

  private static func refusal(ofPath path: String, _ error: URLReferenceError) -> NetworkError {
    let name = "The path \(shown(path))"
    switch error {
    case .relative: return self.error("\(name) \(error.reason).", "Give a base URL, or a whole URL.", error)
    case .scheme where path.utf8.contains(UInt8(ascii: "@")):
      return self.error(
        "\(name) has a user before its host.", "Write a whole URL, and give credentials separately.", error)
    case .scheme(let scheme) where isPort(after: scheme, path):
      return self.error("\(name) has no scheme.", withScheme(path), error)
    case .scheme(let scheme) where path.dropFirst(scheme.count).hasPrefix("://"):
      return self.error("\(name) \(error.reason).", InvalidOriginError.advice(onScheme: scheme), error)
    case .scheme:
      return self.error("\(name) \(error.reason).", "Put `./` before a path whose first segment has a colon.", error)
    case .hostWithoutScheme:
      return self.error(
        "\(name) \(error.reason).", "Leave one slash out; for another server, give a whole URL.", error)
    default: return self.error("\(name) \(error.reason).", error.advice, error)
    }
  }

  private static let anAddress = "Write the address of the server, such as https://api.example.com."

  /// Whether a number follows the colon, so that what looks like a scheme is a host.
  private static func isPort(after scheme: String, _ text: String) -> Bool {
    text.dropFirst(scheme.count + 1).first?.isNumber ?? false
  }

  /// Returns what to write for a text that begins with a host; nil for any other text.
  ///
  /// A server of this machine seldom speaks TLS.
  private static func withScheme(_ text: String) -> String? {
    let text = bare(text)
    let rest = text.hasPrefix("//") ? String(text.dropFirst(2)) : text
    guard let url = try? BaseURL("https://" + rest) else { return nil }
    return "Write \(Request(.get, url.url).isForLoopback ? "http" : "https")://\(rest)."
  }

  /// Returns the text in quotation marks, without secrets.
  private static func shown(_ text: String) -> String { "\"\(bare(text, hiding: Redaction.mark + "@"))\"" }

  /// Returns the text without query, fragment and control characters.
  ///
  /// Everything before an `@` is hidden: where the scheme or a slash is missing, user information cannot be told from a path.
  private static func bare(_ text: String, hiding mark: String = "") -> String {
    var name = String(text.unicodeScalars.prefix { $0 != "?" && $0 != "#" })
    if let at = name.unicodeScalars.lastIndex(of: "@") {
      let slashes = name.utf8.firstRange(of: "//".utf8)
      let start = slashes.map(\.upperBound).flatMap { $0 <= at ? $0 : nil } ?? name.startIndex
      name.unicodeScalars.replaceSubrange(start...at, with: mark.unicodeScalars)
    }
    let whole = Redaction.standard.redacted(reference: name)
    return whole.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? "�" : String($0) }.joined()
  }

  private static func error(_ message: String, _ advice: String?, _ cause: URLReferenceError) -> NetworkError {
    NetworkError(.invalidURL, stage: .preparing, message: message, advice: advice, underlying: cause)
  }
}

extension BaseURL: Codable {
  /// Reads a base URL.
  ///
  /// - Throws: `DecodingError` if the text is not a base URL.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do throws(NetworkError) {
      try self.init(text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
    }
  }

  /// Writes the URL.
  ///
  /// A query with a secret is omitted, unless the encoder's `userInfo` has `includesSecrets`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let text = url.absoluteString
    let mayKeep = encoder.userInfo[.includesSecrets] as? Bool ?? false || description == text
    try container.encode(mayKeep ? text : String(text.unicodeScalars.prefix { $0 != "?" }))
  }
}

extension BaseURL: CustomReflectable {
  /// The URL with its secrets removed.
  public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}

extension DefaultStringInterpolation {
  /// Appends a text as one segment of a path, whatever it contains: `session.get("birds/\(segment: name)")`.
  ///
  /// Everything but letters of ASCII, digits, `-`, `_`, `.` and `~` is percent-encoded, so that a text such as `a/b`, `//host` or `?x`
  /// adds no segment, host or query. Three texts are refused, since no escape protects them: an empty one would name the whole
  /// collection, and `.` and `..` lead to another place.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL` for an empty text, `.` and `..`.
  public mutating func appendInterpolation(segment text: String) throws(NetworkError) {
    guard !["", ".", ".."].contains(text) else {
      throw NetworkError(
        .invalidURL, stage: .preparing, message: "The text \"\(text)\" is no segment of a path.",
        advice: "Check it before: an empty text, `.` and `..` lead to another place.")
    }
    appendLiteral(PercentEncoding.encoded(text))
  }
}
