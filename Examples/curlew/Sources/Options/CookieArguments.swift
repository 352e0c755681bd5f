import ArgumentParser
import CurlewCore
import CurlewLoading

/// Where cookies are kept.
struct CookieArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Send the cookies of a file and write them back to it (Netscape's format).", valueName: "file"),
    transform: checkedPath)
  var cookieJar: String?

  /// The file; nil where none was asked for.
  ///
  /// - Throws: `ToolFailure` for a file that is there and cannot be read.
  func make() throws -> CookieFile? {
    try cookieJar.map { try CookieFile($0, publicSuffixes: Self.publicSuffixes()) }
  }

  /// The system's list, which libcurl's packages bring along; without it all that can be known are top-level domains.
  private static func publicSuffixes() -> any PublicSuffixes {
    if let list = try? PublicSuffixList.system() { return list }
    StandardError.write(
      "curlew: There is no public suffix list (package publicsuffix); a site may set cookies for others.")
    return .topLevel
  }
}
