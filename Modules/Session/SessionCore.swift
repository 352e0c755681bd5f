import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import FoundationEssentials
import HTTPTypes

/// The state that the copies of a session share.
///
/// It consists of the configuration, and of the loader that the first request creates.
final class SessionCore: Sendable {
  let configuration: SessionConfiguration
  /// Whether the session's fields have `Accept`, which then stays as it is.
  let hasAccept: Bool
  /// The `Accept` field for values of the session's formats; nil without a format, and if the session's fields have one.
  let accept: String?
  /// The disk of downloads, with one thread.
  var disk: DownloadDisk { configuration.transport.disk }
  private let template: RequestTemplate
  private let paths: ResolvedPaths
  private let made = Guarded<Loader?>(nil)

  init(_ configuration: SessionConfiguration) {
    self.configuration = configuration
    hasAccept =
      configuration.headerFields.has(.accept) || configuration.requestSerializer.defaults.headerFields.has(.accept)
    accept = hasAccept ? nil : configuration.formats.accept
    paths = ResolvedPaths(baseURL: configuration.baseURL)
    var template = RequestTemplate(
      baseURL: configuration.baseURL, serializer: configuration.requestSerializer,
      headerFields: configuration.headerFields)
    template.secretOrigins = configuration.secretOrigins
    template.redaction = configuration.settings.redaction
    self.template = template
  }

  /// Returns the loader, and starts the transport if necessary.
  ///
  /// - Throws: The error of creating the transport.
  func loader() throws -> Loader {
    if let loader = made.withLock({ $0 }) { return loader }
    let new = Loader(
      try configuration.transport.started(), chain: configuration.chain, options: configuration.options,
      settings: configuration.settings)
    return made.withLock { loader in
      if let loader { return loader }
      loader = new
      return new
    }
  }

  /// Returns a whole request with the session's fields where it has none.
  func completed(_ request: Request) -> Request { template.completed(request) }

  /// Creates the request of a call.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL`, `invalidRequest` or `serializationFailed`.
  func request(_ call: Call) throws(NetworkError) -> Request {
    let resolved = try paths.request(for: call.path)
    guard let content = call.content.write else {
      return try template.request(
        call.method, at: resolved, call.parameters, headerFields: call.headerFields, options: call.options)
    }
    // If there is content, the body is taken, so the parameters always go into the query.
    var template = template
    template.serializer = QueryAndContent(
      query: configuration.requestSerializer.defaults, content: content, configuration: configuration)
    return try template.request(
      call.method, at: resolved, call.parameters, headerFields: call.headerFields, options: call.options)
  }

  /// Returns an error that was found only while a response is read, with the request of its call.
  func naming(_ error: any Error, _ call: Call) -> any Error {
    guard let error = error as? NetworkError, error.details.request == nil, let request = try? request(call) else {
      return error
    }
    return error.naming(request)
  }

  /// Returns an error as the session reports it: with the formats for its body, and with the base URL if the path missed that.
  ///
  /// - Parameter path: The path of the call; nil if it is not known.
  func reported(_ error: any Error, path: String? = nil) -> any Error {
    guard let error = error as? NetworkError, error.details.response != nil else { return error }
    return error.with { details in
      if details.responseBody != nil, !configuration.formats.isEmpty { details.coding = configuration.formats }
      guard details.advice == nil else { return }
      if error.status == .notFound { details.advice = missedBase(details.request?.url, path) }
      if error.status == .unauthorized { details.advice = withheldCredentials(details) }
    }
  }

  /// Returns what to do where the session's `Authorization`, or its password, is for another server than the one that refused.
  private func withheldCredentials(_ details: NetworkError.Details) -> String? {
    let hasField = configuration.headerFields.has(.authorization)
    guard let own = hasField ? configuration.baseURL?.origin : configuration.passwordOrigin,
      let request = details.request, let response = details.response, let asked = try? request.origin,
      asked == (try? Origin(response.url)), asked != own, !hasField || !configuration.secretOrigins.contains(asked),
      request.headerFields[.authorization] == nil, !response.refusesCredentials
    else { return nil }
    return
      "The session's credentials are for \(own), and were not sent to \(asked): give this call `headerFields` with its own, "
      + "or make a session for that server."
  }

  /// Returns what to do about a path of the base URL's server that is not below the base URL; nil for others.
  private func missedBase(_ url: URL?, _ path: String?) -> String? {
    guard let url, let base = configuration.baseURL, (try? Origin(url)) == base.origin,
      !url.path(percentEncoded: true).hasPrefix(base.url.path(percentEncoded: true))
    else { return nil }
    let name = "The URL is not below the base URL \(Redaction.name(of: base.url))"
    guard let path else { return "\(name): see that the path neither begins with a slash nor has `..`." }
    if path.hasPrefix("/") {
      return "\(name): a path that begins with a slash begins at the host. Leave that slash out."
    }
    return path.contains("://") ? "\(name)." : "\(name): `..` in a path leads above it. Leave that out."
  }
}

/// Writes the parameters of a call into its query, and its content into the body.
private struct QueryAndContent: RequestSerializer {
  let query: RequestDefaults
  let content: RequestContent.Write
  let configuration: SessionConfiguration

  var defaults: RequestDefaults { query }

  func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    var request = request
    if let parameters { request.url = try request.url.appendingQuery(try query.query.string(parameters)) }
    do { return query.applied(to: try content(request, configuration)) } catch {
      throw NetworkError.unwritable("content", error)
    }
  }
}

/// A cache for the URLs of a session's paths, because apps repeat few paths.
///
/// It keeps up to 64 paths of up to 512 bytes each. Another path removes all of them; those that are still in use are soon
/// stored again, so no call has to count uses.
final class ResolvedPaths: Sendable {
  static let mostPaths = 64
  static let longestPath = 512

  private let baseURL: BaseURL?
  private let known = Guarded<[ExactString: Request]>([:])

  /// Creates an empty cache for a base URL; nil accepts only whole URLs.
  init(baseURL: BaseURL?) { self.baseURL = baseURL }

  /// The number of paths in the cache.
  var count: Int { known.withLock { $0.count } }

  /// Returns a `GET` request for a path; its copies share the parsed URL.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL`.
  func request(for path: String) throws(NetworkError) -> Request {
    let name = ExactString(path)
    if let request = known.withLock({ $0[name] }) { return request }
    let request = Request(.get, try BaseURL.url(for: path, relativeTo: baseURL))
    guard path.utf8.count <= Self.longestPath else { return request }
    known.withLock { known in
      if known.count == Self.mostPaths { known.removeAll() }
      known[name] = request
    }
    return request
  }
}
