import CLibcurl
import CurlewCore
import FoundationEssentials

/// The URL that is passed to libcurl.
enum RequestTarget {
  /// Returns the canonical URL, after checking that libcurl reads the same origin.
  ///
  /// If two parsers disagreed, one host could be checked and another one contacted.
  static func text(
    of request: Request, _ place: ParsedURL.Reading, _ origin: Origin
  ) throws(NetworkError) -> String {
    if !place.isCanonicalAsWritten { try checkAgreement(request.url.absoluteString, origin) }
    guard place.isOneWord else {
      throw NetworkError(
        .invalidURL, stage: .preparing,
        message:
          "The URL's path or query contains a space, a control character, a backslash or a character beyond ASCII.")
    }
    return place.canonical
  }

  private static func checkAgreement(_ written: String, _ origin: Origin) throws(NetworkError) {
    guard let parsed = curl_url() else { throw .exhausted("libcurl has no memory for a URL.") }
    defer { curl_url_cleanup(parsed) }
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

  private static var disagreement: NetworkError {
    NetworkError(.invalidURL, stage: .preparing, message: "Two parsers read the URL's host or port differently.")
  }

  private static func part(_ url: OpaquePointer, _ what: CURLUPart, _ flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, what, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
