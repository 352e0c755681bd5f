import ArgumentParser
import CurlewCore
import FoundationEssentials
import HTTPTypes
import Synchronization

/// The options about credentials.
struct CredentialArguments: ParsableArguments {
  @Option(
    name: [.customShort("u"), .long],
    help: ArgumentHelp(
      "Answer Basic and Digest challenges of the URL's own host and port, and of no other. The password of a name alone is asked for on a terminal.",
      valueName: "name[:password]"))
  var user: UserArgument?

  @Option(
    name: [.long, .customLong("oauth2-bearer")],
    help: ArgumentHelp(
      "Send a bearer token to the URL's own host and port, and to no other.", valueName: "token"))
  var bearer: BearerArgument?

  @Option(
    help: ArgumentHelp(
      "Take passwords from a file in the form of .netrc, and answer the challenges of the hosts in it.",
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
        throw ValidationError(
          "--user has a name without a password, and there is no terminal to ask for it; write name:password.")
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
    CredentialSettings(user: user?.credential, bearer: bearer?.fieldValue, netrc: netrcFile?.netrc)
  }
}

/// The credentials for the origin of each request's own URL.
final class CredentialSettings: Sendable {
  /// The credential that answers challenges.
  let user: Credential?
  /// The value of `Authorization`.
  let bearer: String?
  /// The hooks by origin: what one of them has answered is sent unasked only with the same one.
  private let hooks = Mutex<[Origin: ExchangeHooks]>([:])

  /// The passwords of a file; nil without one.
  private let netrc: Netrc?

  init(user: Credential? = nil, bearer: String? = nil, netrc: Netrc? = nil) {
    self.netrc = netrc
    self.user = user
    self.bearer = bearer
  }

  /// Sets the token in a request that has no `Authorization` field.
  func apply(to request: inout Request) {
    guard let bearer, request.headerFields[.authorization] == nil else { return }
    request.headerFields[.authorization] = bearer
  }

  /// Answers the first challenge of the request's own origin.
  ///
  /// The target of a redirect to another origin receives no answer, unless a file of passwords names its host and the answer is
  /// encrypted.
  func apply(to settings: inout ExchangeSettings, for request: Request) {
    guard user != nil || netrc != nil && bearer == nil, let origin = try? Origin(request.url) else { return }
    settings.hooks = hooks.withLock { [given = settings.hooks] known in
      if let known = known[origin] { return known }
      var hooks = given
      hooks.challenge = { challenge in
        let space = challenge.protectionSpace
        guard !space.isProxy, space.scheme != "bearer", challenge.previousFailureCount == 0,
          let credential = self.credential(for: space.origin, asked: origin)
        else { return .defaultHandling }
        return .use(credential)
      }
      known[origin] = hooks
      return hooks
    }
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
