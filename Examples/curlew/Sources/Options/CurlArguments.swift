import ArgumentParser
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Options of curl that are a short form of something else here.
struct CurlArguments: ParsableArguments {
  @Option(
    name: [.customShort("A"), .long],
    help: ArgumentHelp("The User-Agent field, as -H 'User-Agent: …' sets it.", valueName: "name"))
  var userAgent: String?

  @Option(
    name: [.customShort("e"), .long],
    help: ArgumentHelp("The Referer field, as -H 'Referer: …' sets it.", valueName: "url"))
  var referer: String?

  @Option(
    name: [.customShort("b"), .long],
    help: ArgumentHelp(
      "Cookies to send; a text without = is a file of cookies (Netscape's format), which stays as it is.",
      valueName: "name=value|file"))
  var cookie: [String] = []

  @Flag(name: [.customShort("G"), .customLong("get")], help: "Send --data and --form as the URL's query, with GET.")
  var sendsDataAsQuery = false

  @Flag(name: [.customShort("f"), .long], help: "Do not print the body of a status of 400 or above.")
  var fail = false

  @Option(
    name: [.customShort("C"), .long],
    help: ArgumentHelp("With the value -, the same as --resume, which finds the place by itself.", valueName: "-"))
  var continueAt: String?

  @Option(
    help: ArgumentHelp("The directory of -O, which then needs none.", valueName: "directory"), transform: checkedPath)
  var outputDir: String?

  @Option(
    help: ArgumentHelp(
      "The same as --data, percent-encoded: content, =content or name=content.", valueName: "name=content"))
  var dataUrlencode: [String] = []

  @Flag(name: [.long, .customLong("remote-name-all")], help: "The same as -O with this directory.")
  var remoteName = false

  @Option(help: ArgumentHelp("The same as the URL alone.", valueName: "url"))
  var url: [String] = []

  @Flag(help: "Accept compressed bodies, which is the default but for files, of which what arrives is kept.")
  var compressed = false

  @Flag(help: "Print the body of a status of 400 or above, and fail; which is the default.")
  var failWithBody = false

  @Flag(
    name: [.customShort("J"), .long], help: "With -O, take the name that the server gives; which is the default.")
  var remoteHeaderName = false

  @Flag(name: [.customShort("N"), .long], help: "Print the body as it arrives, which is the default.")
  var noBuffer = false

  @Flag(name: .customShort("Z"), help: "Fetch several URLs at a time, which is the default; --parallel says how many.")
  var severalAtATime = false

  @Flag(
    name: [.customShort("#"), .long], help: "Show bars on a terminal, which is the default where files are written.")
  var progressBar = false

  @Flag(
    name: [.customShort("g"), .long],
    help: "Send the URL as it is written, which is the default, and do not say so of [1-3].")
  var globoff = false

  @Flag(name: [.customShort("q"), .long], help: "Read no file of options, which is the default.")
  var disable = false

  @Flag(help: "With -o, make the directories of the file; -O always makes its directory.")
  var createDirs = false

  @Flag(name: .customLong("tlsv1.2"), help: "Use TLS 1.2 or later, which is the default.")
  var requiresTLS12 = false

  @Flag(help: "Fail at a status of 400 or above, which is the default.")
  var checkStatus = false

  @Flag(help: "Follow redirects, which is the default.")
  var follow = false

  func validate() throws {
    // `ShortOptions.parted` has made --data of what has no file.
    if let file = dataUrlencode.first {
      throw ValidationError(
        "--data-urlencode takes no file, as in '\(file.prefix { $0 != "@" })@…'; take --form name=value, or --data-binary @FILE."
      )
    }
    if fail, failWithBody { throw ValidationError("--fail and --fail-with-body exclude each other.") }
    guard cookie.count(where: { !$0.contains("=") }) < 2 else { throw ValidationError("-b takes one file of cookies.") }
    guard continueAt ?? "-" == "-" else {
      throw ValidationError(
        "-C takes only -, since --resume finds the place by itself and checks that the file is the same.")
    }
    for (name, value) in fields where !HTTPField.isValidValue(value) {
      throw ValidationError(HeaderProblem.ofValue(value, of: name.rawName) ?? "The \(name) cannot be sent.")
    }
  }

  /// The fields that the options stand for.
  private var fields: [(HTTPField.Name, String)] {
    [(.userAgent, userAgent), (.referer, referer), (.cookie, pairs)].compactMap {
      name, value in
      value.map { (name, $0) }
    }
  }

  /// The cookies that `-b` gives; nil if there are none.
  private var pairs: String? {
    let pairs = cookie.filter { $0.contains("=") }
    return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
  }

  /// The file of cookies that `-b` names; nil if there is none.
  var cookieFile: String? { cookie.last { !$0.contains("=") } }

  /// Checks that the file of `-b` is there, unless `-c` will write it.
  ///
  /// - Throws: `ValidationError`.
  func checkCookieFile(jar: String?) throws {
    guard let cookieFile, cookieFile != jar, (try? LocalFileSystem().status(cookieFile)) == nil else { return }
    throw ValidationError(
      "-b '\(cookieFile)' has no = and is no file; write name=value. --cookie-jar takes a file, and makes it if there is none."
    )
  }

  /// Removes the fields that are given without a value, as curl does, at last, when the tool has set its own.
  func removeDefaults(from request: inout Request) {
    for (name, value) in fields where value.isEmpty && request.headerFields[name]?.isEmpty == true {
      request.headerFields[name] = nil
    }
  }

  /// Sets the fields in a request, unless `-H` did.
  func apply(to request: inout Request) {
    for (name, value) in fields where request.headerFields[name] == nil { request.headerFields[name] = value }
  }
}
