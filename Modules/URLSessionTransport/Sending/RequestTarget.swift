import CurlewCore
import FoundationEssentials

/// The URL that is passed to Foundation.
enum RequestTarget {
  /// Returns the URL with canonical origin, unchanged path and query, no fragment.
  ///
  /// The URL is parsed twice, by Foundation and by the plain rules of RFC 3986 §3.2, and both results must have the same
  /// origin. If two parsers disagreed, one host could be checked and another one contacted.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL`, or `unsupported` for an IPv6 address.
  static func url(of request: Request, _ origin: Origin) throws(NetworkError) -> URL {
    let written = request.url.absoluteString
    guard let slashes = written.utf8.firstRange(of: "://".utf8), let canonical = request.parsedURL.canonical,
      let pathAndQuery = request.parsedURL.target
    else { throw disagreement }
    let behind = written[slashes.upperBound...]
    let end = behind.utf8.firstIndex { "/?#".utf8.contains($0) } ?? behind.endIndex
    try checkAgreement(behind[..<end], origin)
    // Foundation compares its own host without brackets with libcurl's, which has brackets.
    guard !origin.host.utf8.contains(UInt8(ascii: ":")) else {
      throw .unsupported("Foundation refuses URLs whose host is an IPv6 address.")
    }
    try check(pathAndQuery)
    guard let target = URL(string: canonical), target.absoluteString == canonical,
      target.scheme == origin.scheme.rawValue, target.host() == origin.host,
      target.port == (origin.port == origin.scheme.defaultPort ? nil : origin.port)
    else { throw disagreement }
    return target
  }

  /// Checks that host and port are the same when read by the plain rules.
  private static func checkAgreement(_ authority: Substring, _ origin: Origin) throws(NetworkError) {
    let bytes = authority.utf8
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"@\\\"<>^`{|}".utf8.contains($0) }) else { throw disagreement }
    var host = authority
    var port: Int?
    let afterBracket = bytes.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    if let colon = authority[afterBracket...].utf8.lastIndex(of: UInt8(ascii: ":")) {
      host = authority[..<colon]
      let digits = authority[authority.index(after: colon)...]
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else {
          throw disagreement
        }
        port = number
      }
    }
    guard let read = try? Origin(scheme: origin.scheme, host: String(host), port: port), read == origin else {
      throw disagreement
    }
  }

  /// Rejects a path or query that Foundation would not send unchanged.
  private static func check(_ rest: Substring) throws(NetworkError) {
    guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw NetworkError(
        .invalidURL, stage: .preparing,
        message:
          "The URL's path or query contains a space, a control character, a backslash or a character beyond ASCII.")
    }
    let path = rest.prefix { $0 != "?" }
    // libcurl inside Foundation resolves dot segments (RFC 3986 §5.2.4) and would request another path.
    let isDotted = path.split(separator: "/").contains { segment in
      [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
    }
    guard !isDotted else {
      throw NetworkError(
        .invalidURL, stage: .preparing, message: "The URL's path holds a dot segment, which Foundation would resolve.")
    }
  }

  private static var disagreement: NetworkError {
    NetworkError(.invalidURL, stage: .preparing, message: "Two parsers read the URL's host or port differently.")
  }
}

extension NetworkError {
  /// Returns the error for a request that Foundation cannot send unchanged.
  static func unsupported(_ message: String, _ missing: TransportCapabilities = []) -> NetworkError {
    NetworkError(.unsupported, stage: .preparing, message: message).with { $0.missing = missing }
  }
}
