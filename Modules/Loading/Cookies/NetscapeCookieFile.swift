import CurlewCore

/// The format of `cookies.txt`: a cookie a line, seven fields with tabs between them.
///
/// Domain, whether hosts below it are meant, path, whether it needs https, its end in seconds since 1970 (0 is with the
/// session), name, value. Lines that begin with `#` are comments, except that `#HttpOnly_` before the domain marks a
/// cookie that scripts must not see (curl's extension, which others read too).
enum NetscapeCookieFile {
  private static let httpOnlyMark = "#HttpOnly_"

  /// The cookies of a file; lines that hold none are passed over.
  static func cookies(in text: String) -> [Cookie] {
    text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).compactMap { cookie(in: Substring($0)) }
  }

  private static func cookie(in line: Substring) -> Cookie? {
    var line = line
    let isHTTPOnly = line.hasPrefix(httpOnlyMark)
    if isHTTPOnly { line = line.dropFirst(httpOnlyMark.count) }
    guard !line.hasPrefix("#") else { return nil }
    let fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
    // Writers leave an empty value's tab out.
    guard fields.count >= 6, let end = Int64(fields[4]) else { return nil }
    let domain = fields[0].hasPrefix(".") ? String(fields[0].dropFirst()) : fields[0]
    guard let host = try? Origin(scheme: .https, host: domain).host else { return nil }
    return Cookie(
      name: fields[5], value: fields.count > 6 ? fields[6] : "", domain: host, isHostOnly: !isTrue(fields[1]),
      path: fields[2].isEmpty ? "/" : fields[2], expires: end == 0 ? nil : HTTPDate(secondsSince1970: end),
      isSecure: isTrue(fields[3]), isHTTPOnly: isHTTPOnly)
  }

  private static func isTrue(_ field: String) -> Bool { field.lowercased() == "true" }

  /// The file that holds these cookies; those that no line can hold are left out.
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
