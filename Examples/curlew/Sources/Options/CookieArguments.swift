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

  func validate() throws {
    if cookieJar == "-" { throw ValidationError("-c takes the name of a file, in which the cookies stay; - is none.") }
  }

  /// Opens the cookie file; nil without one.
  ///
  /// - Parameter readOnly: A further file of cookies, which is not written.
  /// - Throws: `ToolFailure` when a file exists and cannot be read.
  func make(reading readOnly: String? = nil) throws -> CookieFile? {
    guard cookieJar != nil || readOnly != nil else { return nil }
    let suffixes = Self.publicSuffixes()
    let other = try readOnly.map { try CookieFile($0, "-b", publicSuffixes: suffixes, isWritten: false) }
    guard let cookieJar else { return other }
    let file = try CookieFile(cookieJar, publicSuffixes: suffixes)
    if let other { file.add(other.jar.memory.all) }
    return file
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
