import ArgumentParser
import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

/// The options about credentials.
struct CredentialArguments: ParsableArguments {
  @Option(
    name: [.customShort("u"), .long],
    help: ArgumentHelp(
      "Send name and password to the URL's own host and port, and to no other: at once as Basic, and after a challenge as Digest. The password of a name alone is asked for on a terminal.",
      valueName: "name[:password]"))
  var user: UserArgument?

  @Flag(exclusivity: .chooseLast)
  var scheme: PasswordScheme?

  @Option(
    name: [.long, .customLong("oauth2-bearer")],
    help: ArgumentHelp(
      "Send a bearer token to the URL's own host and port, and to no other.", valueName: "token"))
  var bearer: BearerArgument?

  @Option(
    help: ArgumentHelp(
      "Take passwords from a file in the form of .netrc: that of the URL's host is sent as with --user, and challenges of the other hosts in it are answered over TLS.",
      valueName: "file"
    ), transform: NetrcArgument.read)
  var netrcFile: NetrcArgument?

  @Flag(
    name: [.customShort("n"), .long, .customLong("netrc-optional")],
    help: "Take passwords from ~/.netrc, if there is one; --user goes before it.")
  var netrc = false

  mutating func validate() throws {
    if netrc, netrcFile == nil { netrcFile = try NetrcArgument.ofHome() }
    if let name = user?.nameAlone, bearer == nil {
      guard let password = PasswordPrompt.ask("Password of \(name): ") else {
        let reason = isatty(STDIN_FILENO) == 1 ? "none was typed" : "there is no terminal to ask for it"
        throw ValidationError("--user has a name without a password, and \(reason); write name:password.")
      }
      user = UserArgument(name: name, password: password)
    }
    // Not quoted, since a part of it may be a secret.
    if let user, user.credential == nil { throw ValidationError("--user is written name:password, in one line.") }
    if let bearer, bearer.fieldValue == nil {
      throw ValidationError("--bearer is a token of visible ASCII characters, without 'Bearer' before it.")
    }
    if user != nil, bearer != nil { throw ValidationError("--user and --bearer exclude each other.") }
  }

  /// The credentials in the arguments.
  var settings: CredentialSettings {
    CredentialSettings(
      user: user?.credential, bearer: bearer?.fieldValue, netrc: netrcFile?.netrc, scheme: scheme)
  }

  /// Says so if other users can read a file of passwords.
  func warn() { if let warning = netrcFile?.warning { StandardError.warn(warning) } }
}

/// How a name and a password are sent, by the name of curl's option.
enum PasswordScheme: String, EnumerableFlag {
  case basic
  case digest
  case anyauth

  /// The names of the schemes whose challenges are answered.
  var answered: Set<String> {
    switch self {
    case .basic: ["basic"]
    case .digest: ["digest"]
    case .anyauth: ["basic", "digest"]
    }
  }

  static func help(for value: PasswordScheme) -> ArgumentHelp? {
    switch value {
    case .basic: "Send the name and the password of --user as Basic only, and at once."
    case .digest: "Send the password of --user only as the answer to a Digest challenge, which hides it."
    case .anyauth: "Send nothing of --user before a challenge, and answer Basic or Digest, whichever is stronger."
    }
  }
}

/// The credentials for the origin of each request's own URL.
final class CredentialSettings: Sendable {
  /// What the answers to challenges depend on.
  private struct Place: Hashable {
    let origin: Origin
    /// Whether the request has the password already.
    let isSent: Bool
  }

  /// The credential of `--user`.
  let user: Credential?
  /// The value of `Authorization`.
  let bearer: String?
  /// The hooks by place: what one of them has answered is sent unasked only with the same one.
  private let hooks = Mutex<[Place: ExchangeHooks]>([:])
  /// The passwords of a file; nil without one.
  private let netrc: Netrc?
  /// How passwords are sent; nil is Basic at once, and Digest after a challenge.
  private let scheme: PasswordScheme?

  init(user: Credential? = nil, bearer: String? = nil, netrc: Netrc? = nil, scheme: PasswordScheme? = nil) {
    self.netrc = netrc
    self.user = user
    self.bearer = bearer
    self.scheme = scheme
  }

  /// Sets the token, or the password, in a request that has no `Authorization` field.
  ///
  /// A redirect to another origin drops the field.
  func apply(to request: inout Request) {
    guard request.headerFields[.authorization] == nil, let value = bearer ?? basic(for: request) else { return }
    request.headerFields[.authorization] = value
  }

  /// Whether a request has the password in its `Authorization` field, as `apply` sets it.
  func isSentAtOnce(in request: Request) -> Bool {
    guard bearer == nil, let value = request.headerFields[.authorization] else { return false }
    return value == basic(for: request)
  }

  /// Returns the field that a request gets before any challenge; nil if it waits for one.
  private func basic(for request: Request) -> String? {
    guard scheme == nil || scheme == .basic, let origin = try? Origin(request.url),
      case .password(let name, let password) = credential(for: origin, asked: origin)
    else { return nil }
    let text = Data("\(name):\(password)".utf8).base64EncodedString()
    return try? AuthorizationField(scheme: "Basic", credentials: text).fieldValue
  }

  /// Answers the first challenge of the request's own origin.
  ///
  /// The target of a redirect to another origin receives no answer, unless a file of passwords names its host and the answer is
  /// encrypted. A password that was sent at once is not sent a second time as Basic.
  func apply(to settings: inout ExchangeSettings, for request: Request) {
    guard user != nil || netrc != nil && bearer == nil, let origin = try? Origin(request.url) else { return }
    let place = Place(origin: origin, isSent: isSentAtOnce(in: request))
    let answered = (scheme ?? .anyauth).answered
    settings.hooks = hooks.withLock { [given = settings.hooks] known in
      if let known = known[place] { return known }
      var hooks = given
      hooks.challenge = { challenge in
        let space = challenge.protectionSpace
        guard !space.isProxy, answered.contains(space.scheme), challenge.previousFailureCount == 0,
          !(place.isSent && space.scheme == "basic" && space.origin == origin),
          let credential = self.credential(for: space.origin, asked: origin)
        else { return .defaultHandling }
        return .use(credential)
      }
      known[place] = hooks
      return hooks
    }
  }

  /// Returns what to do after a 401 of the request's own server: which credential was refused, or that none was sent.
  func advice(on challenges: [AuthenticationChallengeField], to request: Request) -> String {
    let isOfUser = user != nil
    if isSentAtOnce(in: request) { return Self.refused(isOfUser) }
    if let sent = request.headerFields[.authorization] {
      return sent == bearer
        ? "the server refused the token of --bearer" : "the server refused the field Authorization that was given"
    }
    guard let origin = try? Origin(request.url), bearer == nil, credential(for: origin, asked: origin) != nil else {
      return "give --user or --bearer"
    }
    let offered = challenges.map { $0.scheme }
    let answered = (scheme ?? .anyauth).answered
    guard !offered.contains(where: { answered.contains($0.lowercased()) }) else { return Self.refused(isOfUser) }
    let asked = offered.isEmpty ? "names no scheme" : "asks for \(offered.joined(separator: " or "))"
    let option = scheme.map { "--\($0.rawValue)" } ?? "--user"
    return "the server \(asked), which \(option) does not answer, so no password was sent"
  }

  private static func refused(_ isOfUser: Bool) -> String {
    "the server refused the name or the password of \(isOfUser ? "--user" : "the .netrc file")"
  }

  private func credential(for origin: Origin, asked: Origin) -> Credential? {
    if let user { return origin == asked ? user : nil }
    guard origin == asked || origin.scheme == .https else { return nil }
    return netrc?.login(for: origin.host, orDefault: origin == asked).map {
      .password(user: $0.name, password: $0.password)
    }
  }
}

/// A user name and a password: `name:password`; the first colon ends the name.
///
/// It reads every text, so that the parser never quotes one that is refused.
struct UserArgument: ExpressibleByArgument, Sendable {
  /// The credential; nil if the text has no colon, or more than one line.
  let credential: Credential?
  /// The text if it is a name whose password is still to be asked for; nil otherwise.
  let nameAlone: String?

  init(argument: String) {
    let parts = argument.parted(at: ":")
    let isWell = !argument.isEmpty && !Self.hasControls(argument)
    nameAlone = isWell && parts == nil ? argument : nil
    credential = parts.flatMap { isWell ? .password(user: String($0.0), password: String($0.1)) : nil }
  }

  init(name: String, password: String) {
    nameAlone = nil
    credential = Self.hasControls(password) ? nil : .password(user: name, password: password)
  }

  private static func hasControls(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

/// A bearer token of visible ASCII characters; every text is read, as that of `--user`.
struct BearerArgument: ExpressibleByArgument, Sendable {
  /// The value of `Authorization`; nil if the text is no token.
  let fieldValue: String?

  init(argument: String) {
    fieldValue = (try? AuthorizationField(scheme: "Bearer", credentials: argument))?.fieldValue
  }
}
