public import CurlewCore

/// The system's list of public suffixes, or a careful guess without one.
///
/// The list is in Debian's package `publicsuffix`, which `libpsl5` and therefore libcurl recommends
/// (`PublicSuffixList.systemPaths`). It is read when a value is created, which blocks for some milliseconds; one value
/// can serve many jars. `PublicSuffixes.system` reads it once in a process.
///
/// Without a list, the public suffix is the last label of a name, or the last two if the last one has two letters and
/// the one before it at most three: `com`, `co.uk`, `com.au`. This keeps most cookies from hosts of other owners. It
/// does not know suffixes such as `github.io`, and it rejects a cookie that `www.bit.ly` sets for `bit.ly`. `problem`
/// says why there is no list.
public struct SystemPublicSuffixes: PublicSuffixes {
  /// The list; nil when it could not be read.
  public let list: PublicSuffixList?
  /// The reason why the list could not be read; nil if it was read.
  public let problem: FileSystemError?

  /// Reads the system's list; blocks.
  public init(in files: any FileSystem = LocalFileSystem()) {
    do throws(FileSystemError) {
      list = try PublicSuffixList.system(in: files)
      problem = nil
    } catch {
      list = nil
      problem = error
    }
  }

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

extension SystemPublicSuffixes {
  /// The list as the first use in this process found it.
  fileprivate static let shared = SystemPublicSuffixes()
}

extension PublicSuffixes where Self == SystemPublicSuffixes {
  /// The system's public suffixes; the first use in a process reads the list and blocks.
  ///
  /// A list that is installed or updated later is read by `SystemPublicSuffixes()`.
  public static var system: SystemPublicSuffixes { .shared }
}
