public import CurlewCore
public import CurlewLoading
public import CurlewRequests
public import CurlewSerialization
public import HTTPTypes

/// The settings that all requests of a session share, as one value.
///
/// `HTTPSession.with` changes a copy. An option of a call overrides that of the configuration's `options`, and a field of a
/// call overrides that of `headerFields`.
///
/// ```swift
/// var configuration = SessionConfiguration(.shared(transport))
/// configuration.baseURL = try BaseURL("https://api.example.com/v1/")
/// configuration.formats.add(.json)
/// configuration.options.timeouts.total = .seconds(30)
/// configuration.chain.redirect = Redirect()
/// configuration.settings.observers = [observer]
/// let session = HTTPSession(configuration)
/// ```
public struct SessionConfiguration: Sendable {
  /// The transport; sessions with the same value share its connections.
  public var transport: SessionTransport
  /// The URL that paths are relative to; nil accepts only whole URLs.
  public var baseURL: BaseURL?
  /// The interceptors, each in its place; empty by default.
  ///
  /// The app's own are in `chain.application` and `chain.perHop`.
  public var chain = InterceptorChain()
  /// Fields for requests that do not set them.
  ///
  /// By default `HTTPFields.program()`: a `User-Agent` and an `Accept-Language`. They go to the base URL's origin and to
  /// `secretOrigins`; a request to another origin gets only what a redirect would take along (`Redirect.standardHarmlessFields`), so
  /// no `Authorization` and no key, whatever its name. Without a base URL, and without `secretOrigins`, they go to every URL that the app
  /// requests. The same is true of the fields of `requestSerializer`.
  public var headerFields = HTTPFields.program()
  /// The origins that receive all of `headerFields` beside the base URL's; none by default.
  public var secretOrigins: Set<Origin> = []
  /// The server of `authenticate(user:password:)`; nil without it.
  var passwordOrigin: Origin?
  /// Defaults for options that a call leaves unset.
  public var options = RequestOptions()
  /// The settings of exchanges.
  ///
  /// They include observers, server trust (a security policy), client identity, proxy, hooks and clock.
  public var settings = ExchangeSettings()
  /// Whether, when and how often to retry a failed call; nil, the default, never.
  ///
  /// It does not apply to sequences of bytes, lines and events. Downloads have their own policy.
  public var retry: RetryPolicy?
  /// Writes the parameters of a call; by default into a query or a form.
  public var requestSerializer: any RequestSerializer = FormRequestSerializer()
  /// The formats of values; none by default.
  ///
  /// They decode the responses of calls without a serializer, by media type, and encode `RequestContent.encoded`.
  public var formats = FormatRegistry()
  /// The limits of sequences of lines.
  public var lines = LineOptions()

  /// Creates a configuration with a transport and without interceptors.
  public init(_ transport: SessionTransport) { self.transport = transport }
}

extension SessionConfiguration {
  /// The first of the formats, in which values are sent; nil if there is none.
  ///
  /// Setting it replaces the first format and keeps the others.
  public var coding: (any ValueCoding)? {
    get { formats.first }
    set { formats.first = newValue }
  }
}

extension SessionConfiguration {
  /// Answers the challenges of the base URL's server, and of no other, with a user name and a password.
  ///
  /// The server chooses between Basic and Digest (RFC 7617, RFC 7616). `chain.authentication` has to be set, as it is by default with
  /// `import Curlew`. It replaces the hook `settings.hooks.challenge`. A wrong password is sent once: the 401 is then the
  /// response. With an `http` base URL that HSTS upgrades, nothing is answered; write `https`.
  ///
  /// ```swift
  /// let signedIn = try session.with { try $0.authenticate(user: "wader", password: secret) }
  /// ```
  ///
  /// - Throws: `NetworkError` of kind `invalidURL` without a base URL.
  public mutating func authenticate(user: String, password: String) throws(NetworkError) {
    guard let origin = baseURL?.origin else {
      throw NetworkError(
        .invalidURL, stage: .preparing,
        message: "The session has no base URL, whose server a password could be for.", advice: "Set one before."
      )
    }
    passwordOrigin = origin
    let credential = Credential.password(user: user, password: password)
    settings.hooks.challenge = { challenge in
      let space = challenge.protectionSpace
      guard space.origin == origin, !space.isProxy, ["basic", "digest"].contains(space.scheme) else {
        return .defaultHandling
      }
      return challenge.previousFailureCount == 0 ? .use(credential) : .reject
    }
  }
}

extension SessionConfiguration {
  /// There is no method with this label.
  @available(*, unavailable, message: "Write headerFields.set(\"Authorization\", to: \"Bearer \\(token)\")")
  public mutating func authenticate(bearer: String) throws {}
}

extension SessionConfiguration: CustomReflectable {
  /// The configuration without the secrets of its URL, its fields and its settings.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "transport": transport, "baseURL": baseURL as Any, "chain": chain,
        "headerFields": settings.redaction.lines(of: headerFields), "secretOrigins": secretOrigins, "options": options,
        "settings": settings, "retry": retry as Any, "requestSerializer": requestSerializer, "formats": formats,
        "lines": lines,
      ])
  }
}
