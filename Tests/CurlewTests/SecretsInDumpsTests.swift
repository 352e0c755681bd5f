import Curlew
import CurlewBatch
import CurlewDownload
import CurlewJSON
import CurlewLoading
import CurlewOperations
import CurlewReachability
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewTestSupport
import CurlewXML
import CurlewYAML
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewCore
@testable import CurlewSessionManagers

/// What `dump`, `print` and a debugger show of the values that an app's secrets are kept in.
@Suite struct SecretsInDumpsTests {
  private static let secret = "s3cr3t-v4lue"
  private static let fields: HTTPFields = [
    .authorization: "Bearer \(secret)", .cookie: "a=\(secret)", .setCookie: "b=\(secret)",
    .location: "https://a.example/?token=\(secret)", .accept: "text/plain",
  ]
  private static let address = "https://a.example/birds?token=\(secret)"
  private static let bytes = Data(secret.utf8)

  private static func request() throws -> Request {
    var request = try Request(.post, address)
    request.headerFields = fields
    request.body = .bytes(bytes)
    return request
  }

  private static func head() throws -> ResponseHead {
    try ResponseHead(url: request().url, status: .unauthorized, headerFields: fields)
  }

  private static func settings() throws -> ExchangeSettings {
    var settings = ExchangeSettings()
    var proxy = Proxy(host: "p.example", port: 8080, credential: .password(user: "u", password: secret))
    proxy.authorization = "Basic \(secret)"
    settings.proxy = proxy
    settings.clientIdentity = identity
    return settings
  }

  private static let identity = ClientIdentity(certificateChain: Data("public".utf8), privateKey: bytes)

  private static func loader() throws -> Loader {
    let jar = MemoryCookieJar()
    let url = try request().url
    jar.store(["b=\(secret)"], from: CookieContext(url: url, date: .now))
    let tokens = TokenSource(for: [try Origin(url)], token: BearerToken(secret)) { _ in BearerToken(secret) }
    let space = ProtectionSpace(origin: try Origin(url), scheme: "basic", realm: "r")
    let store = MemoryCredentialStore([space: .password(user: "u", password: secret)])
    return Loader(
      StubTransport { _ in .text("") },
      chain: InterceptorChain(
        cookies: Cookies(jar), authentication: Authentication(store: store, tokens: [tokens]),
        caching: Caching(MemoryCacheStore()),
        perHop: [try ClientIdentities(["a.example": identity])]), settings: try settings())
  }

  private static func defaults() -> RequestDefaults {
    var defaults = RequestDefaults()
    defaults.headerFields = fields
    return defaults
  }

  private static func configuration() throws -> SessionConfiguration {
    var configuration = SessionConfiguration(.shared(StubTransport { _ in .text("") }))
    configuration.baseURL = try BaseURL(address)
    configuration.chain = try loader().chain
    configuration.headerFields = fields
    configuration.settings = try settings()
    configuration.requestSerializer = JSONRequestSerializer(defaults: defaults())
    return configuration
  }

  private static func core() throws -> [Any] {
    let (request, head) = (try request(), try head())
    let parameter = FieldParameter(name: "nonce", value: secret)
    let exchange = Exchange(try settings())
    let error = NetworkError(.unacceptableStatus, stage: .awaitingHead, message: "No.").with {
      $0.request = request
      $0.response = head
      $0.responseBody = bytes
    }
    let event = { ExchangeEvent(exchange: exchange.id, attempt: 1, hop: 0, instant: .now, kind: $0) }
    return [
      request, head, request.body, request.body.source, try settings(), exchange, error, identity,
      Response(head: head, body: ResponseBody(bytes)), RequestArchive(request),
      AuthenticationChallengeField(scheme: "digest", parameters: [parameter]),
      AuthenticationChallengeField(scheme: "negotiate", token68: secret),
      try AuthenticationInfoField("nextnonce=\"\(secret)\""), event(.started(request)), event(.responded(head)),
      event(.redirecting(to: request, response: head)), event(.resending(after: error)),
      Challenge(
        protectionSpace: ProtectionSpace(origin: try request.origin, scheme: "digest"), parameters: [parameter],
        proposedCredential: .password(user: "u", password: secret), response: head),
      ChallengeAnswer.use(.bearer(token: secret)), ChallengeAnswer.cancel(error), CacheAnswer.change(head),
    ]
  }

  private static func loading() throws -> [Any] {
    let (request, head) = (try request(), try head())
    let url = request.url
    var attempt = TransferAttempt(number: 1, reason: .first, began: .now, transferBegan: .now, request: request)
    attempt.response = head
    let stored = StoredResponse(head: head, requestedAt: .now, receivedAt: .now)
    let memory = MemoryCacheStore()
    let loader = try loader()
    return [
      CookieContext(url: url, date: .now), attempt, AttemptContext(previous: attempt), stored,
      CacheRecord.response(stored),
      try #require(CacheKey(request, in: Exchange(try settings()), secret: memory.secret)), memory.secret,
      TransferResult(head: head, content: .data(bytes), trailers: fields), TransferContent.data(bytes), loader,
      loader.chain, Transfer(loader, request, to: MemorySink(limit: 10)),
      Connection(request, over: loader, delegate: Silent()),
      NetworkProbe(request), NetworkProbe.Finding.captivePortal(head),
    ]
  }

  private final class Silent: ConnectionDelegate {}

  private static func files() throws -> [Any] {
    var state = DownloadState()
    state.url = address
    let plan = DownloadConfiguration(try request(), to: .file("/tmp/none"))
    return [
      state, ResumeHandle(state), plan, DownloadTarget.file("/tmp/none"), Downloader(try loader(), plan),
    ]
  }

  private static func serializers() throws -> [Any] {
    let defaults = defaults()
    var form = MultipartForm()
    try form.append(secret, name: "a")
    form.parts.append(.init(headerFields: fields, body: .bytes(bytes)))
    return [
      defaults, FormRequestSerializer(defaults: defaults), MultipartRequestSerializer(defaults: defaults),
      DataRequestSerializer(defaults: defaults), PropertyListRequestSerializer(defaults: defaults),
      JSONRequestSerializer(defaults: defaults), XMLRequestSerializer(defaults: defaults),
      YAMLRequestSerializer(defaults: defaults), form, form.parts,
      RequestTemplate(
        baseURL: try BaseURL(address), serializer: FormRequestSerializer(defaults: defaults), headerFields: fields),
      try BaseURL(address), Parameters.object([.init("user", "u"), .init("password", .string(secret))]),
      Parameters.Member("access_token", .data(bytes)), Parameters.array([["login": ["pwd": .string(secret)]]]),
    ]
  }

  private static func sessions() throws -> [Any] {
    let configuration = try configuration()
    let session = HTTPSession(configuration)
    let manager = HTTPSessionManager(configuration)
    var names = ComponentNames()
    names[ComponentName<SessionConfiguration>("c")] = configuration
    let serializer = ComponentName<any ResponseSerializer>("s")
    names[serializer] = .data
    let report = TaskReport(
      response: try head(), value: nil, error: nil, metrics: [])
    return [
      configuration, session, manager, session.dataTask(try request()),
      session.download(try request(), to: .file("/tmp/none")),
      session.upload(try request(), from: .bytes(bytes)), session.serverSentEvents(address, headerFields: fields),
      session.bytes(address, parameters: ["token": .string(secret)], headerFields: fields),
      session.lines(address, headerFields: fields), session.download(address, to: "/tmp/none", headerFields: fields),
      DecodedResponse(value: 1, head: try head()), report,
      try SessionManagerArchive(manager, configuration: .init("c"), names: names, responseSerializer: serializer),
      BackgroundEnd(number: 1, request: try request(), result: .response(try head(), bytes)),
    ]
  }

  private static func operations() throws -> [Any] {
    let loader = try loader()
    let operation = HTTPRequestOperation(try request(), over: loader)
    operation.credential = .password(user: "u", password: secret)
    let manager = HTTPRequestOperationManager(baseURL: try BaseURL(address), over: loader)
    manager.headerFields = fields
    manager.credential = .bearer(token: secret)
    var names = ComponentNames()
    names[ComponentName<Loader>("l")] = loader
    names[ComponentName<any ResponseSerializer>("s")] = .data
    operation.serializerName = ComponentName("s")
    return [
      operation, manager, DownloadOperation(try request(), to: .file("/tmp/none"), over: loader, on: DownloadDisk()),
      try OperationArchive(operation, names: names), try OperationManagerArchive(manager, names: names),
    ]
  }

  private static func batches() throws -> [Any] {
    let item = try BatchItem.request("a", try request(), includesSecrets: true)
    let lease = BatchLease(id: .init(name: "a", token: 1), item: item, note: bytes)
    let product = BatchProduct(output: bytes)
    return [
      item, lease, BatchRenewal(lease.id, note: bytes), product, BatchResult.succeeded(product),
      BatchOutcome(position: 1, name: "a", result: .succeeded(product)), BatchChain([item]), BatchEvent.began(item),
      BatchDownload(try request(), to: "/tmp/none"), BatchRequest(try request()), Batch(over: try loader()),
      Batch.Configuration(over: try loader()),
    ]
  }

  private static func security() throws -> [Any] {
    let origin = try Origin(try request().url)
    let loader = try loader()
    return [
      TokenSource(for: [origin], token: BearerToken(secret)) { _ in BearerToken(secret) }, BearerToken(secret),
      MemoryCredentialStore([ProtectionSpace(origin: origin, scheme: "basic"): .bearer(token: secret)]),
      try ClientIdentities(["a.example": identity]), loader.chain.authentication as Any, loader.chain.cookies as Any,
      Credential.identity(identity), Credential.password(user: "u", password: secret),
      OAuth2Token(BearerToken(secret), refreshToken: secret),
      try OAuth2Client(id: "i", secret: secret, tokenEndpoint: address) { _ in throw CancellationError() },
      EnvironmentProxies(["https_proxy": "http://u:\(secret)@p.example:1"]),
    ]
  }

  /// Returns what a dump shows, and what `print` and `debugPrint` do.
  private static func shown(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text + "\n" + String(describing: value) + "\n" + String(reflecting: value)
  }

  /// Returns whether the text contains the secret, also as base64 and as the numbers of its bytes, which a dump of `Data` shows.
  private static func leaks(_ text: String) -> Bool {
    let numbers = text.split { !$0.isNumber }.joined(separator: " ")
    return text.contains(secret) || text.contains(bytes.base64EncodedString())
      || numbers.contains(bytes.map(String.init).joined(separator: " "))
  }

  @Test func `no dump of a value that carries secrets shows one`() throws {
    var values: [Any] = []
    for group in [
      Self.core, Self.loading, Self.files, Self.serializers, Self.sessions, Self.operations, Self.batches,
      Self.security,
    ] { values += try group() }
    for value in values {
      let text = Self.shown(value)
      #expect(!Self.leaks(text), "\(type(of: value)): \(text.split(separator: "\n").filter { Self.leaks(String($0)) })")
    }
  }

  @Test func `fields that only the app's own redaction names are not shown either`() throws {
    let name = try #require(HTTPField.Name("X-Birds-Pass"))
    var template = RequestTemplate(headerFields: [name: Self.secret])
    var configuration = SessionConfiguration(.shared(StubTransport { _ in .text("") }))
    configuration.headerFields = [name: Self.secret]
    #expect(Self.leaks(Self.shown(template)) && Self.leaks(Self.shown(configuration)))
    template.redaction.fields.insert(name)
    configuration.settings.redaction.fields.insert(name)
    for value in [template, configuration, HTTPSession(configuration), HTTPSessionManager(configuration)] as [Any] {
      #expect(!Self.leaks(Self.shown(value)), "\(type(of: value))")
    }
  }

  @Test func `a secret in bytes is found in a dump`() {
    #expect(Self.leaks(Self.shown(Self.bytes)) && Self.leaks(Self.shown([Self.secret])))
    #expect(!Self.leaks(Self.shown("secret")))
  }
}
