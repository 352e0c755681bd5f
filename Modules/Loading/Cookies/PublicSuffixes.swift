public import CurlewCore
import CurlewStorage
import Glibc

/// Knows the suffixes below which anyone can register a name.
///
/// Examples are `com`, `co.uk` and `github.io`.
///
/// It is called for each cookie with a domain, while the response waits; from any isolation.
public protocol PublicSuffixes: Sendable {
  /// Returns the public suffix of a host, which may be the whole host.
  ///
  /// - Parameter host: A name, not an address, in the canonical form of `Origin.host` without a final dot.
  func publicSuffix(of host: String) -> String
}

extension PublicSuffixes {
  /// Returns whether a name is a public suffix as a whole.
  ///
  /// A final dot makes no difference.
  public func isPublicSuffix(_ host: String) -> Bool {
    let name = host.withoutRoot
    return publicSuffix(of: name) == name
  }

  /// Returns the public suffix with the label before it; nil without such a label.
  ///
  /// A final dot stays.
  public func registrableDomain(of host: String) -> String? {
    guard host == host.withoutRoot else { return registrableDomain(of: host.withoutRoot).map { $0 + "." } }
    let suffix = publicSuffix(of: host)
    let rest = host.dropLast(suffix.count + 1)
    guard !rest.isEmpty, host.hasSuffix("." + suffix) else { return nil }
    let label = rest.utf8.lastIndex(of: UInt8(ascii: ".")).map { rest[rest.utf8.index(after: $0)...] } ?? rest
    return label.isEmpty ? nil : label + "." + suffix
  }
}

extension String {
  /// The host without the final dot of the root, which does not affect its address.
  fileprivate var withoutRoot: String { utf8.last == UInt8(ascii: ".") ? String(dropLast()) : self }
}

/// Takes the last label of every name as its public suffix.
///
/// That is the rule for names that are in no list. It is too weak for cookies, because it allows a host below `co.uk`
/// to set cookies for all others there. Prefer `SystemPublicSuffixes`.
public struct TopLevelSuffixes: PublicSuffixes {
  /// Creates an instance.
  public init() {}

  /// Returns the last label.
  public func publicSuffix(of host: String) -> String {
    host.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(host[host.utf8.index(after: $0)...]) } ?? host
  }
}

extension PublicSuffixes where Self == TopLevelSuffixes {
  /// Only top-level domains.
  public static var topLevel: TopLevelSuffixes { TopLevelSuffixes() }
}

/// The system's list of public suffixes, or a careful guess without one.
///
/// The list is in Debian's package `publicsuffix`, which `libpsl5` and therefore libcurl recommends
/// (`PublicSuffixList.systemPaths`). It is read when a value is created, which blocks for some milliseconds; one value
/// can serve many jars. `PublicSuffixes.system` reads it once in a process, when the first cookie for a domain needs it.
///
/// Without a list, the public suffix is the last label of a name, or the last two if the last one has two letters and
/// the one before it at most three: `com`, `co.uk`, `com.au`. This keeps most cookies from hosts of other owners. It
/// does not know suffixes such as `github.io`, and it rejects a cookie that `www.bit.ly` sets for `bit.ly`. `problem`
/// says why there is no list.
public struct SystemPublicSuffixes: PublicSuffixes {
  /// What was read; nil stands for what the first use in this process reads.
  private let own: Result<PublicSuffixList, FileSystemError>?
  private static let shared = SystemPublicSuffixes(in: LocalFileSystem()).own

  /// The list; nil when it could not be read.
  public var list: PublicSuffixList? { try? (own ?? Self.shared)?.get() }

  /// The reason why the list could not be read; nil if it was read.
  public var problem: FileSystemError? { if case .failure(let error) = own ?? Self.shared { error } else { nil } }

  /// Reads the system's list; blocks.
  public init(in files: any FileSystem = LocalFileSystem()) {
    own = Result { () throws(FileSystemError) in try PublicSuffixList.system(in: files) }
  }

  fileprivate init(_ own: Result<PublicSuffixList, FileSystemError>?) { self.own = own }

  /// Returns the suffix according to the list or the guess.
  public func publicSuffix(of host: String) -> String {
    list?.publicSuffix(of: host) ?? Self.guess(host)
  }

  private static func guess(_ host: String) -> String {
    let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let last = labels.last, labels.count > 1 else { return host }
    let second = labels[labels.count - 2]
    let isPair = last.count == 2 && (1...3).contains(second.count)
    return String(Substring(host.utf8[(isPair ? second : last).startIndex...]))
  }
}

extension PublicSuffixes where Self == SystemPublicSuffixes {
  /// The system's public suffixes, which the first use of a process reads; that use blocks for some milliseconds.
  ///
  /// A session whose responses set no cookie for a domain never reads them. A list that is installed or updated later is read by
  /// `SystemPublicSuffixes()`.
  public static var system: SystemPublicSuffixes { SystemPublicSuffixes(nil) }
}

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
