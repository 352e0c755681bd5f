public import CurlewCore
import CurlewStorage
import FoundationEssentials
import Glibc

/// Keeps cookies in memory and in a file in Netscape's format, which curl, wget and browsers' exports share.
///
/// The file is read once, when the jar is made, and written by `save`, whole or not at all: a crash leaves the old one.
/// Two processes that save to one file do not mix their cookies; the last one's stand. The rules are those of
/// `MemoryCookieJar`. What the format has no place for is lost over a restart: `SameSite`, and cookies with a tab in their
/// name or path. Safe from any isolation.
///
/// ```swift
/// let jar = try FileCookieJar("cookies.txt", publicSuffixes: try PublicSuffixList.system())
/// let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), cookies: Cookies(jar)))
/// // … load …
/// try jar.save()
/// ```
public final class FileCookieJar: CookieJar {
  /// The cookies, as long as the process lives.
  public let memory: MemoryCookieJar
  private let file: AtomicFile
  private let files: any FileSystem
  private let keepsSessionCookies: Bool
  private let saved: Guarded<UInt64>

  /// The longest file that is read, in bytes.
  public static let limit = 32 << 20

  /// Reads the file; one that is not there is an empty jar. Blocks.
  ///
  /// Lines that hold no cookie, or one that no server could have set, are passed over.
  ///
  /// - Parameters:
  ///   - keepsSessionCookies: Whether cookies without an end are written too, as curl does; if not they end here.
  ///   - date: What counts as now; cookies that are over are left out.
  /// - Throws: `FileSystemError`: the file is there and cannot be read, is longer than `limit` (`EFBIG`) or is not UTF-8
  ///   (`EILSEQ`).
  public init(
    _ path: String, publicSuffixes: any PublicSuffixes = .topLevel, limits: CookieLimits = CookieLimits(),
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
        // A cookie for a whole public suffix could have been written by a client that knows none.
        guard cookie.isHostOnly || !publicSuffixes.isPublicSuffix(cookie.domain) else { continue }
        if keepsSessionCookies || cookie.expires != nil { memory.put(cookie, at: date) }
      }
    }
    saved = Guarded(memory.revision)
  }

  /// The cookies for a request, in the order in which they are sent.
  public func cookies(for context: CookieContext) -> [Cookie] { memory.cookies(for: context) }

  /// Takes the `Set-Cookie` values of one response, in order.
  public func store(_ setCookies: [String], from context: CookieContext) {
    memory.store(setCookies, from: context)
  }

  /// Writes the file where anything changed since it was read or written; blocks until it is durable.
  ///
  /// The file is readable by its owner alone. A device, such as `/dev/null`, is written to and stays what it is.
  ///
  /// - Throws: `FileSystemError`; the old file then stands.
  public func save() throws(FileSystemError) {
    var revision = memory.revision
    guard saved.withLock({ $0 != revision }) else { return }
    while true {
      let cookies = memory.all.filter { keepsSessionCookies || $0.expires != nil }
      let text = Data(NetscapeCookieFile.text(of: cookies).utf8)
      if try files.status(file.path)?.kind == .other { try writeToDevice(text) } else { try file.write(text) }
      let newest = saved.withLock { saved in
        saved = max(saved, revision)
        return saved
      }
      // Another save was quicker with newer cookies, which these may have taken the place of.
      guard newest > revision else { return }
      revision = memory.revision
    }
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
