public import CurlewCore

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
