public import CurlewCore
public import CurlewLoading
public import CurlewRequests
public import CurlewSerialization
public import HTTPTypes

/// Everything that the requests of a session have in common, as one value.
///
/// `HTTPSession.with` changes a copy. An option that a call sets wins over the configuration's `options`, and a field of a
/// call over one of `headerFields`.
///
/// ```swift
/// var configuration = SessionConfiguration(.shared(transport))
/// configuration.baseURL = try BaseURL("https://api.example.com/v1/")
/// configuration.coding = .json
/// configuration.options.timeouts.total = .seconds(30)
/// configuration.chain.redirect = Redirect()
/// configuration.settings.observers = [observer]
/// let session = HTTPSession(configuration)
/// ```
public struct SessionConfiguration: Sendable {
  /// Who carries the requests. Sessions with the same value share connections.
  public var transport: SessionTransport
  /// The URL that paths are relative to; nil takes whole URLs only.
  public var baseURL: BaseURL?
  /// The interceptors, each in its place; the app's own are `chain.application` and `chain.perHop`. Empty by default.
  public var chain = InterceptorChain()
  /// Fields for requests that do not set them: `HTTPFields.program()`, which are a `User-Agent` and an `Accept-Language`.
  public var headerFields = HTTPFields.program()
  /// Defaults for options that a call leaves unset.
  public var options = RequestOptions()
  /// What exchanges may use: observers, server trust (a security policy), client identity, proxy, hooks, clock.
  public var settings = ExchangeSettings()
  /// Whether, when and how often a call that failed is tried again; nil, the default, sends once.
  ///
  /// It does not apply to sequences of bytes, lines and events. Downloads have a policy of their own.
  public var retry: RetryPolicy?
  /// Puts the parameters of a call into its query or body; a query or a form by default.
  public var requestSerializer: any RequestSerializer = FormRequestSerializer()
  /// Reads the values of calls that do not name a serializer, and writes `RequestContent.encoded`; nil has no format.
  public var coding: (any ValueCoding)?
  /// The limits of sequences of lines.
  public var lines = LineOptions()
  /// Changes the error of a refused response; set by `HTTPSession.errors(as:)`.
  var decodingError: (@Sendable (NetworkError) -> NetworkError)?

  /// Creates a configuration with a transport and without interceptors.
  public init(_ transport: SessionTransport) { self.transport = transport }
}
