import CLibcurl
import CurlewCore
import FoundationEssentials

/// The URL as libcurl is given it.
enum RequestTarget {
  /// Scheme and authority in canonical form, then path and query byte for byte; no fragment.
  ///
  /// libcurl's own reading of the URL as it was written must give the same host and port: parsers that disagree are how
  /// one host is checked and another is asked.
  static func text(of url: URL, _ origin: Origin) throws(NetworkError) -> String {
    let written = url.absoluteString
    let prefix = origin.description
    var rest: Substring
    if let behind = remainder(of: written, after: prefix) {
      rest = behind
    } else {
      try checkAgreement(written, origin)
      rest = Substring(pathAndQuery(of: written))
    }
    if let fragment = rest.utf8.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
    guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw NetworkError(
        .invalidURL, stage: .preparing,
        message: "The URL's path or query holds a space, a control character, a backslash or a character beyond ASCII.")
    }
    return rest.utf8.first == UInt8(ascii: "/") ? prefix + rest : prefix + "/" + rest
  }

  /// What stands behind a canonical prefix, when the authority ends there.
  private static func remainder(of written: String, after prefix: String) -> Substring? {
    guard written.utf8.starts(with: prefix.utf8) else { return nil }
    let behind = written.utf8.index(written.utf8.startIndex, offsetBy: prefix.utf8.count)
    guard behind < written.utf8.endIndex else { return "" }
    switch written.utf8[behind] {
    case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return written[behind...]
    default: return nil
    }
  }

  private static func pathAndQuery(of written: String) -> String {
    guard let slashes = written.firstRange(of: "://") else { return "" }
    let authority = written[slashes.upperBound...]
    guard let end = authority.utf8.firstIndex(where: { [47, 63, 35].contains($0) }) else { return "" }
    return String(authority[end...])
  }

  private static func checkAgreement(_ written: String, _ origin: Origin) throws(NetworkError) {
    guard let parsed = curl_url() else { throw .exhausted("libcurl has no memory for a URL.") }
    defer { curl_url_cleanup(parsed) }
    let disagreement = NetworkError(
      .invalidURL, stage: .preparing, message: "Two parsers read the URL's host or port differently.")
    guard curl_url_set(parsed, CURLUPART_URL, written, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK,
      let scheme = part(parsed, CURLUPART_SCHEME), let host = part(parsed, CURLUPART_HOST),
      let port = part(parsed, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))
    else { throw disagreement }
    var read: Origin?
    if let kind = Origin.Scheme(rawValue: scheme.lowercased()) {
      read = try? Origin(scheme: kind, host: host, port: Int(port))
    }
    guard read == origin else { throw disagreement }
  }

  private static func part(_ url: OpaquePointer, _ what: CURLUPart, _ flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, what, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
