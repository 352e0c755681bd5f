import CurlewCore

/// Reads and writes `cookies.txt`: one cookie per line, seven fields between tabs.
///
/// The fields are: domain, whether subdomains are included, path, whether https is required, expiry in seconds since
/// 1970 (0 for a session cookie), name, value. Lines that begin with `#` are comments, except that `#HttpOnly_` before
/// the domain marks a cookie that scripts must not see (an extension by curl, which others also read).
enum NetscapeCookieFile {
  private static let httpOnlyMark = "#HttpOnly_"

  /// Returns the cookies of a file; ignores invalid lines.
  static func cookies(in text: String) -> [Cookie] {
    text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).compactMap { cookie(in: Substring($0)) }
  }

  private static func cookie(in line: Substring) -> Cookie? {
    var line = line
    let isHTTPOnly = line.hasPrefix(httpOnlyMark)
    if isHTTPOnly { line = line.dropFirst(httpOnlyMark.count) }
    guard !line.hasPrefix("#") else { return nil }
    let fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
    // Some writers omit the tab before an empty value.
    guard fields.count >= 6, let end = Int64(fields[4]) else { return nil }
    let domain = fields[0].hasPrefix(".") ? String(fields[0].dropFirst()) : fields[0]
    guard let host = try? Origin(scheme: .https, host: domain).host else { return nil }
    return Cookie(
      name: fields[5], value: fields.count > 6 ? fields[6] : "", domain: host, isHostOnly: !isTrue(fields[1]),
      path: fields[2].isEmpty ? "/" : fields[2], expires: end == 0 ? nil : HTTPDate(secondsSince1970: end),
      isSecure: isTrue(fields[3]), isHTTPOnly: isHTTPOnly)
  }

  private static func isTrue(_ field: String) -> Bool { field.lowercased() == "true" }

  /// Returns the text of a file with these cookies.
  ///
  /// Omits those that do not fit the format.
  static func text(of cookies: [Cookie]) -> String {
    var text = "# Netscape HTTP Cookie File\n# Written by Curlew; a line is a cookie.\n\n"
    for cookie in cookies where !cookie.name.contains("\t") && !cookie.path.contains("\t") {
      let fields = [
        (cookie.isHTTPOnly ? httpOnlyMark : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
        cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
        String(cookie.expires.map { max($0.secondsSince1970, 1) } ?? 0), cookie.name, cookie.value,
      ]
      text += fields.joined(separator: "\t") + "\n"
    }
    return text
  }
}
