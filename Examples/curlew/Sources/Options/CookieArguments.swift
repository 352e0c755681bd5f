import ArgumentParser
import CurlewCore
import CurlewLoading

/// The options about cookies.
struct CookieArguments: ParsableArguments {
  @Option(
    name: [.customShort("c"), .long],
    help: ArgumentHelp("Send the cookies of a file and write them back to it (Netscape's format).", valueName: "file"),
    transform: checkedPath)
  var cookieJar: String?

  /// Opens the cookie file; nil without the option.
  ///
  /// - Throws: `ToolFailure` when the file exists and cannot be read.
  func make() throws -> CookieFile? {
    try cookieJar.map { try CookieFile($0, publicSuffixes: Self.publicSuffixes()) }
  }

  /// Returns the system's list; without one it warns the user and guesses.
  private static func publicSuffixes() -> any PublicSuffixes {
    let suffixes = SystemPublicSuffixes()
    if suffixes.problem != nil {
      StandardError.warn(
        "curlew: The list of public suffixes is missing (package publicsuffix), so it is guessed which domains are shared."
      )
    }
    return suffixes
  }
}
