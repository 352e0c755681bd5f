import ArgumentParser
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Who asks.
struct CredentialArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Answer Basic and Digest challenges of the URL's own host and port, and of no other.", valueName: "name:password")
  )
  var user: UserArgument?

  @Option(
    help: ArgumentHelp(
      "Send a bearer token to the URL's own host and port, and to no other.", valueName: "token"))
  var bearer: BearerArgument?

  func validate() throws {
    if user != nil, bearer != nil { throw ValidationError("--user and --bearer exclude each other.") }
  }

  /// What the arguments ask for.
  var settings: CredentialSettings { CredentialSettings(user: user?.credential, bearer: bearer?.fieldValue) }
}

/// Credentials for the host that each request asks for by itself.
struct CredentialSettings: Sendable {
  /// What answers challenges.
  var user: Credential?
  /// The value of `Authorization`.
  var bearer: String?

  /// Puts a token into a request that has no `Authorization` of its own.
  func apply(to request: inout Request) {
    guard let bearer, request.headerFields[.authorization] == nil else { return }
    request.headerFields[.authorization] = bearer
  }

  /// Answers the first challenge of a request's own origin; what a redirect leads to gets no answer.
  func apply(to settings: inout ExchangeSettings, for request: Request) {
    guard let user, let origin = try? Origin(request.url) else { return }
    settings.hooks.challenge = { challenge in
      let space = challenge.protectionSpace
      guard !space.isProxy, space.origin == origin, space.scheme != "bearer" else { return .defaultHandling }
      return challenge.previousFailureCount == 0 ? .use(user) : .defaultHandling
    }
  }
}

/// `name:password`; the first colon ends the name.
struct UserArgument: ExpressibleByArgument, Sendable {
  let credential: Credential

  init?(argument: String) {
    guard let (user, password) = argument.parted(at: ":") else { return nil }
    let controls = argument.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard !controls else { return nil }
    credential = .password(user: String(user), password: String(password))
  }
}

/// A bearer token, of visible ASCII.
struct BearerArgument: ExpressibleByArgument, Sendable {
  let fieldValue: String

  init?(argument: String) {
    guard let field = try? AuthorizationField(scheme: "Bearer", credentials: argument) else { return nil }
    fieldValue = field.fieldValue
  }
}
