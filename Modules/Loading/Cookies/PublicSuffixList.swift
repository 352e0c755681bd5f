public import CurlewCore
import CurlewStorage
import Glibc

/// The list of publicsuffix.org, in its published text format.
///
/// The list changes, so it is read from a file instead of being part of this module: distributions have it (Debian's
/// package `publicsuffix`, which `libpsl5` recommends), or the app provides a newer one. Both of its sections count, as
/// in browsers.
public struct PublicSuffixList: PublicSuffixes {
  private var rules: Set<String> = []
  private var wildcards: Set<String> = []
  private var exceptions: Set<String> = []

  /// Where Debian, Ubuntu and Fedora keep the list.
  public static let systemPaths = [
    "/usr/share/publicsuffix/public_suffix_list.dat", "/usr/share/publicsuffix/effective_tld_names.dat",
  ]

  /// The largest file that is read, in bytes.
  public static let limit = 16 << 20

  /// Reads a list; lines that are not valid rules are ignored.
  public init(_ text: String) {
    for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let rule = line.prefix { $0 != 0x20 && $0 != 0x09 }
      guard let first = rule.first, !rule.starts(with: "//".utf8) else { continue }
      if first == UInt8(ascii: "!") {
        if let name = Self.canonical(rule.dropFirst()) { exceptions.insert(name) }
      } else if rule.starts(with: "*.".utf8) {
        if let name = Self.canonical(rule.dropFirst(2)) { wildcards.insert(name) }
      } else if let name = Self.canonical(rule) {
        rules.insert(name)
      }
    }
  }

  /// Reads a list from a file; blocks.
  ///
  /// - Throws: `FileSystemError` when the file is missing, cannot be read, is larger than `limit` (`EFBIG`), or is not
  ///   UTF-8 (`EILSEQ`).
  public init(contentsOf path: String, in files: any FileSystem = LocalFileSystem()) throws(FileSystemError) {
    guard let bytes = try AtomicFile(path, in: files).read(upTo: Self.limit) else {
      throw FileSystemError(code: ENOENT, operation: "open", path: path)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FileSystemError(code: EILSEQ, operation: "read", path: path)
    }
    self.init(text)
  }

  /// Reads the system's list; blocks.
  ///
  /// - Throws: `FileSystemError` when there is none (`ENOENT`) or it cannot be read.
  public static func system(in files: any FileSystem = LocalFileSystem()) throws(FileSystemError) -> PublicSuffixList {
    var path = systemPaths[0]
    for candidate in systemPaths where (try? files.status(candidate)) != nil {
      path = candidate
      break
    }
    return try PublicSuffixList(contentsOf: path, in: files)
  }

  /// The number of rules.
  public var count: Int { rules.count + wildcards.count + exceptions.count }

  /// Returns the longest rule that matches the end of a name.
  ///
  /// An exception takes precedence; without a rule the result is the last label.
  public func publicSuffix(of host: String) -> String {
    var rest = host[...]
    while true {
      let name = String(rest)
      let parent = rest.utf8.firstIndex(of: UInt8(ascii: ".")).map { rest[rest.utf8.index(after: $0)...] }
      if exceptions.contains(name), let parent { return String(parent) }
      if rules.contains(name) { return name }
      guard let parent, !parent.isEmpty else { return name }
      if wildcards.contains(String(parent)) { return name }
      rest = parent
    }
  }

  /// Returns a rule in the canonical form of hosts; nil when no host can match it.
  private static func canonical(_ rule: Substring.UTF8View) -> String? {
    let text = String(Substring(rule))
    // Nearly all rules are already in the form for comparing.
    guard rule.contains(where: { $0 >= 0x80 || $0 &- 0x41 < 26 }) else { return text.isEmpty ? nil : text }
    return try? HostName(text).text
  }
}
