public import CurlewCore
import CurlewStorage
import FoundationEssentials
import Glibc

/// Keeps cookies in memory and in a file in Netscape's format.
///
/// curl, wget and browsers' exports use the same format.
///
/// The file is read once, when the jar is created, and written by `save`, as a whole: after a crash the old file is
/// still there. If two processes save to one file, their cookies are not merged; the last save wins. The rules are
/// those of `MemoryCookieJar`. The format cannot store `SameSite`, nor cookies with a tab in their name or path, so
/// these are lost across a restart. Safe from any isolation.
///
/// ```swift
/// let jar = try FileCookieJar("cookies.txt")
/// let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), cookies: Cookies(jar)))
/// // … load …
/// try jar.save()
/// ```
public final class FileCookieJar: CookieJar {
  /// The cookies in memory.
  public let memory: MemoryCookieJar
  private let file: AtomicFile
  private let files: any FileSystem
  private let keepsSessionCookies: Bool
  private let state: Guarded<State>

  private struct State {
    /// The revision that the file certainly has, or a newer one.
    var saved: UInt64
    /// The revisions of the writes that are going on.
    var writes: [UInt64: UInt64] = [:]
    /// The writes whose result an older one, which ended meanwhile, may have replaced.
    var overtaken: Set<UInt64> = []
    var last: UInt64 = 0

    mutating func begin(_ revision: UInt64) -> UInt64 {
      last += 1
      writes[last] = revision
      return last
    }

    /// Records the end of a write, which may have replaced what newer ones have written.
    mutating func end(_ write: UInt64, isWritten: Bool) {
      guard let revision = writes.removeValue(forKey: write) else { return }
      let isOvertaken = overtaken.remove(write) != nil
      overtaken.formUnion(writes.filter { $0.value > revision }.keys)
      saved = saved > revision ? revision : isWritten && !isOvertaken ? revision : saved
    }
  }

  /// The largest file that is read, in bytes.
  public static let limit = 32 << 20

  /// Reads the file; a missing file is an empty jar. Blocks.
  ///
  /// Invalid lines are ignored, and so are cookies that no server could have set.
  ///
  /// - Parameters:
  ///   - keepsSessionCookies: Whether session cookies are also saved, as curl does; otherwise they end with the
  ///     process.
  ///   - date: The current time; expired cookies are not read.
  /// - Throws: `FileSystemError` when the file exists and cannot be read, is larger than `limit` (`EFBIG`), or is not
  ///   UTF-8 (`EILSEQ`).
  public init(
    _ path: String, publicSuffixes: any PublicSuffixes = .system, limits: CookieLimits = CookieLimits(),
    keepsSessionCookies: Bool = true, in files: any FileSystem = LocalFileSystem(),
    date: HTTPDate = HTTPDate(SystemClock().date)
  ) throws(FileSystemError) {
    memory = MemoryCookieJar(publicSuffixes: publicSuffixes, limits: limits)
    file = AtomicFile(path, in: files)
    self.files = files
    self.keepsSessionCookies = keepsSessionCookies
    if let bytes = try file.read(upTo: Self.limit) {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw FileSystemError(code: EILSEQ, operation: "read", path: path)
      }
      for cookie in NetscapeCookieFile.cookies(in: text) {
        // A client without a public suffix list could have written a cookie for a whole public suffix.
        guard cookie.isHostOnly || !publicSuffixes.isPublicSuffix(cookie.domain) else { continue }
        if keepsSessionCookies || cookie.expires != nil { memory.put(cookie, at: date) }
      }
    }
    state = Guarded(State(saved: memory.revision))
  }

  /// Returns the cookies for a request, in the order in which they are sent.
  public func cookies(for context: CookieContext) -> [Cookie] { memory.cookies(for: context) }

  /// Stores the `Set-Cookie` values of one response, in order.
  public func store(_ setCookies: [String], from context: CookieContext) {
    memory.store(setCookies, from: context)
  }

  /// Writes the file if anything has changed; blocks until it is durable.
  ///
  /// Only the owner can read the file. A device, such as `/dev/null`, is written to and not replaced.
  ///
  /// - Throws: `FileSystemError`; the file then has older cookies, and the next call writes it again.
  public func save() throws(FileSystemError) {
    // A write of older cookies that ended meanwhile may have replaced these; then they are written again.
    while true {
      let revision = memory.revision
      let write = state.withLock { state in state.saved < revision ? state.begin(revision) : nil }
      guard let write else { return }
      do throws(FileSystemError) {
        try self.write()
      } catch {
        state.withLock { $0.end(write, isWritten: false) }
        throw error
      }
      state.withLock { $0.end(write, isWritten: true) }
    }
  }

  private func write() throws(FileSystemError) {
    let cookies = memory.all.filter { keepsSessionCookies || $0.expires != nil }
    let text = Data(NetscapeCookieFile.text(of: cookies).utf8)
    if try files.status(file.path)?.kind == .other { try writeToDevice(text) } else { try file.write(text) }
  }

  private func writeToDevice(_ text: Data) throws(FileSystemError) {
    let device = try files.open(file.path, .write)
    var failure: FileSystemError?
    text.withUnsafeBytes { bytes in
      do throws(FileSystemError) { try device.write(bytes, at: 0) } catch { failure = error }
    }
    if let failure { throw failure }
    try device.close()
  }
}

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
