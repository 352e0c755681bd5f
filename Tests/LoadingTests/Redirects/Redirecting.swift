import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// A loader over a stub that answers by path, and what it was asked.
struct Redirecting {
  let recording: RecordingTransport
  let loader: Loader

  /// - Parameter answers: By URL without fragment; every other URL is 200.
  init(
    _ answers: [String: StubAnswer], redirect: Redirect = Redirect(), cookies: Cookies? = nil,
    perHop: [any Interceptor] = []
  ) {
    recording = RecordingTransport(
      StubTransport { asked in answers[String(asked.request.url.absoluteString.prefix { $0 != "#" })] ?? .text("end") })
    loader = Loader(recording, chain: InterceptorChain(redirect: redirect, cookies: cookies, perHop: perHop))
  }

  /// Every URL that was asked, in order.
  var urls: [String] { recording.requests.map(\.url.absoluteString) }

  @discardableResult
  func load(
    _ url: String, _ change: (inout Request) -> Void = { _ in }, hooks: ExchangeHooks? = nil
  ) async throws
    -> Response
  {
    var request = try Request(.get, url)
    change(&request)
    var settings = ExchangeSettings()
    if let hooks { settings.hooks = hooks }
    return try await loader.load(request, in: Exchange(settings))
  }
}

extension StubAnswer {
  static func redirect(_ status: Int = 302, to location: String, _ fields: HTTPFields = [:]) -> StubAnswer {
    var fields = fields
    fields.append(HTTPField(name: .location, lenientValue: Array(location.utf8)))
    return StubAnswer(.init(code: status), headerFields: fields)
  }
}
