import Curlew
import FoundationEssentials
import Testing

/// What an app writes with `import Curlew` alone. No other module of Curlew may be imported here: if a name is missing, an app that
/// does the same would need a second import.
@Suite struct EverydayNamesTests {
  /// Answers each request with its method, its path and the length of its body, as JSON unless the path ends in another format.
  private struct Echo: Interceptor {
    func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
      guard try request.origin == Origin(scheme: .https, host: "birds.example") else {
        return try await next(request, in: exchange)
      }
      let length = request.body.length ?? 0
      let (type, text): (MediaType, String) =
        switch request.url.pathExtension {
        case "xml": (.xml, "<birds><bird>Curlew</bird></birds>")
        case "txt": (.plainText, "curlew heron")
        case "missing": (.plainText, "")
        default: (.json, #"{"method":"\#(request.method.rawValue)","path":"\#(request.url.path)","length":\#(length)}"#)
        }
      var head = ResponseHead(url: request.url, status: request.url.pathExtension == "missing" ? .notFound : .ok)
      try head.headerFields.set("Content-Type", to: "\(type)")
      return Response(head: head, body: .init(Data(text.utf8)))
    }
  }

  private struct Answer: Codable, Sendable, Equatable {
    var method: String
    var path: String
    var length: Int
  }

  private struct Words: ResponseSerializer {
    var validation = ResponseValidation(mediaTypes: [.plainText])
    func serialize(_ head: ResponseHead?, _ body: Data) throws -> [String] {
      try CharsetDecoder.string(body, as: head?.charset ?? .utf8).split(separator: " ").map(String.init)
    }
  }

  /// A format: texts, whatever the type's name for it is.
  private struct Texts: ValueCoding {
    var mediaType: MediaType { .plainText }
    func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
      guard let text = String(decoding: body, as: UTF8.self) as? Value else { throw CancellationError() }
      return text
    }
    func encode(_ value: some Encodable) throws -> Data { Data("\(value)".utf8) }
  }

  private struct GetAnswer: Endpoint {
    typealias Output = Answer
    var path: String { "endpoint" }
    var content: RequestContent { .none }
    var parameters: Parameters? { ["page": 2] }
  }

  /// Trusts one certificate, and nothing else.
  private struct OneCertificate: ServerTrustEvaluating {
    var certificate: Data
    var connectionKey: ConnectionKey { ConnectionKey("one certificate") }
    var requirements: HandshakeRequirements { HandshakeRequirements(leastVersion: .tls13) }
    func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
      guard trust.certificates.first == certificate else {
        throw ServerTrustError(.untrusted, message: "\(trust.host) has another certificate.")
      }
    }
  }

  private struct Log: EventObserver {
    func observe(_ event: ExchangeEvent) {}
  }

  /// A session with all settings that apps set often.
  private func session(in directory: String) throws -> HTTPSession {
    try HTTPSession(baseURL: "https://birds.example/v1/") { configuration in
      configuration.retry = RetryPolicy(limit: 2, delay: .fixed(.milliseconds(1)))
      configuration.options = RequestOptions()
      configuration.options.timeouts = Timeouts(connect: .seconds(5), idle: .seconds(20), total: .seconds(60))
      configuration.options.cachePolicy = .reload
      configuration.secretOrigins = [try Origin(scheme: .https, host: "cdn.birds.example")]
      configuration.settings.proxy = Proxy(host: "proxy.birds.example", port: 3128)
      configuration.settings.serverTrust = OneCertificate(certificate: Data([1]))
      configuration.settings.observers.append(Log())
      configuration.chain = InterceptorChain(
        [Echo()], decoding: ContentDecoding(), redirect: Redirect(), cookies: Cookies(MemoryCookieJar()),
        authentication: Authentication(), caching: Caching(MemoryCacheStore()))
      configuration.chain.cookies = Cookies(try FileCookieJar(directory + "/cookies"))
      configuration.chain.caching = Caching(try DiskCacheStore(directory + "/cache"))
      configuration.chain.hsts = HSTS(try HSTSHosts(directory + "/hosts"))
      configuration.chain.proxy = EnvironmentProxies([:])
      configuration.chain.perHop.append(ConcurrencyLimit(perOrigin: 4))
      configuration.coding = JSONCoding()
      configuration.formats.add(Texts())
      try configuration.authenticate(user: "wader", password: "secret")
    }
  }

  private func withDirectory(_ work: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-names-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await work(path)
  }

  /// What an app says about each error that a call of a brought type throws.
  private func sentence(about error: any Error) -> String {
    switch error {
    case let error as NetworkError where error.status == .notFound: "not found: \(error.kind)"
    case let error as NetworkError: "\(error.stage): \(error.details.message)"
    case let error as ServerTrustError: "trust: \(error.reason)"
    case let error as SecurityError: "security: \(error.kind)"
    case let error as OAuth2Error: "sign-in: \(error.kind)"
    case let error as CredentialStoreError: "tokens: \(error)"
    case let error as FileSystemError: "file: \(error.code)"
    case let error as BatchError: "batch: \(error.kind)"
    case let error as InvalidOriginError: "origin: \(error.reason)"
    case let error as JSONError: "JSON: \(error.kind)"
    case let error as JSONRecordError: "JSON lines: \(error.kind)"
    case let error as XMLError: "XML: \(error)"
    case let error as XMLWritingError: "XML: \(error)"
    case let error as CanonicalXMLError: "XML: \(error)"
    case let error as XPathError: "XPath: \(error)"
    case let error as YAMLError: "YAML: \(error.kind)"
    case let error as ParametersError: "parameters: \(error)"
    case let error as CharsetError: "charset: \(error)"
    case let error as LineTooLongError: "line: \(error)"
    case let error as ContentEncodingError: "gzip: \(error)"
    default: "\(error)"
    }
  }

  private func sentence(_ work: () throws -> Void) -> String {
    do { try work() } catch { return sentence(about: error) }
    return "no error"
  }

  @Test func `a session of an app's own parts gets values, texts, forms and whole responses`() async throws {
    try await withDirectory { directory in
      let session = try session(in: directory)
      let answer: Answer = try await session.get("birds")
      #expect(answer == Answer(method: "GET", path: "/v1/birds", length: 0))
      #expect(try await session.get("words.txt", Words()) == ["curlew", "heron"])
      let text: String = try await session.with { $0.coding = Texts() }.get("words.txt")
      #expect(text == "curlew heron")
      let posted: Answer = try await session.post("birds", .form(["name": "curlew"]))
      #expect(posted == Answer(method: "POST", path: "/v1/birds", length: 11))
      let files: Answer = try await session.post("files", .multipart { try $0.append("curlew", name: "bird") })
      #expect(files.length > 0)
      #expect(try await session.value(of: GetAnswer()).path == "/v1/endpoint")
      let whole: DecodedResponse<Answer> = try await session.response(.get, "whole", as: Answer.self)
      #expect(whole.head.status == .ok && whole.value.path == "/v1/whole")
      let request = try Request(.put, "https://birds.example/raw")
      let loader: Loader = try session.loader
      let response: Response = try await loader.load(request)
      #expect(try await response.body.collect(upTo: 1 << 10).isEmpty == false)
    }
  }

  @Test func `a download, a batch and an upload are an app's`() async throws {
    try await withDirectory { directory in
      let session = try session(in: directory)
      let download: DownloadTask = session.download("words.txt", to: directory + "/words") {
        (it: inout DownloadConfiguration) in
        it.file.collision = .replace
      }
      var last: TransferProgress?
      for try await progress in download { last = progress }
      let file: DownloadResult = try await download.value
      #expect(file.length == 12 && last?.completed == 12)

      let batch = try Batch(over: session, store: MemoryBatchStore(BatchRules(limit: 2)))
      let item = try BatchItem.download("a", Request(.get, "https://birds.example/a.txt"), to: directory + "/a")
      try await batch.add([item])
      try await batch.add("b", after: ["a"]) { _ in BatchProduct(bytes: 2) }
      #expect(try await batch.run().succeeded == 2)

      let upload: UploadTask = session.upload(.text("curlew"), to: "up", as: Answer.self)
      #expect(try await upload.value.length == 6)
      let task: DataTask = session.dataTask("birds", as: Answer.self)
      task.resume()
      #expect(try await task.value.path == "/v1/birds")
    }
  }

  @Test func `a token of OAuth 2 comes from an app's own request and is kept in a file`() async throws {
    try await withDirectory { directory in
      let client = try OAuth2Client(id: "birds", secret: "s", tokenEndpoint: "https://login.birds.example/token") {
        request in
        let head = ResponseHead(url: request.url, status: .ok, headerFields: [.contentType: "application/json"])
        return (Data(#"{"access_token":"t","token_type":"Bearer","expires_in":60}"#.utf8), head)
      }
      let token: OAuth2Token = try await client.clientCredentials()
      let file = OAuth2TokenFile(directory + "/token")
      try file.write(token)
      #expect(try file.read()?.bearer.value == "t")
      let source = TokenSource(for: [try Origin(scheme: .https, host: "birds.example")]) { _ in
        BearerToken("t", expires: nil)
      }
      #expect(try await source.token().value == "t")
      let show: (OAuth2DeviceCode) -> String = { $0.description }
      _ = (show, Credential.bearer(token: "t"))
    }
  }

  @Test func `pins, certificates and evaluators are an app's`() throws {
    var settings = SecurityPolicy.Settings()
    settings.pinningMode = .publicKey
    settings.publicKeyPins = [try PublicKeyPin("sha256/" + Data(repeating: 1, count: 32).base64EncodedString())]
    settings.backupPublicKeyPins = [try PublicKeyPin("sha256/" + Data(repeating: 2, count: 32).base64EncodedString())]
    let report: @Sendable (TrustReport) -> Void = { _ in }
    let policies = try HostPolicies(["birds.example": SecurityPolicy(settings, report: report)], otherHosts: nil)
    #expect(policies.policy(for: "birds.example") != nil)
    let trust = ServerTrust(host: "birds.example", port: 443, certificates: [Data([1])], date: .now)
    #expect(throws: Never.self) { try OneCertificate(certificate: Data([1])).evaluate(trust) }
    let refusal = sentence { try OneCertificate(certificate: Data([2])).evaluate(trust) }
    #expect(refusal == "trust: untrusted")
    let identity: ClientIdentity? = nil
    #expect(identity == nil && sentence { _ = try Certificate.all(inFile: "/nowhere") } != "no error")
  }

  @Test func `values of JSON, XML and YAML are read without a session`() throws {
    let json: JSONValue = try JSONValue(parsing: #"{"birds":["Curlew"]}"#)
    #expect(json["birds"]?[0]?.stringValue == "Curlew")
    let xml: XMLDocument = try XMLDocument(parsing: "<birds><bird>Curlew</bird></birds>")
    let birds: [XMLElement] = try xml.elements(XPath("//bird"))
    #expect(birds.map(\.text) == ["Curlew"])
    let yaml: YAMLValue = try YAMLValue(parsing: "birds: [Curlew]")
    #expect(yaml["birds"]?[0]?.stringValue == "Curlew")
    let parameters: Parameters = try Parameters(encoding: ["name": "Curlew"])
    #expect(parameters == ["name": "Curlew"])
  }

  @Test func `an error of each call is caught by its type`() async throws {
    try await withDirectory { directory in
      let session = try session(in: directory)
      do {
        try await session.get("nothing.missing", .string)
        Issue.record("a 404 is no error")
      } catch {
        #expect(sentence(about: error) == "not found: unacceptable-status")
      }
    }
    #expect(sentence { _ = try JSONValue(parsing: "[1") }.hasPrefix("JSON: "))
    #expect(sentence { _ = try XMLDocument(parsing: "<a>") }.hasPrefix("XML: "))
    #expect(sentence { _ = try XMLDocument(parsing: "<a/>").elements(XPath("//[")) }.hasPrefix("XPath: "))
    #expect(sentence { _ = try YAMLValue(parsing: "[1") }.hasPrefix("YAML: "))
    #expect(sentence { _ = try PublicKeyPin("sha256/no") }.hasPrefix("security: "))
    #expect(sentence { _ = try Origin(URL(filePath: "/")) }.hasPrefix("origin: "))
    #expect(sentence { _ = try Origin(scheme: .https, host: "a b") }.hasPrefix("origin: "))
    #expect(sentence { _ = try FileCookieJar("/dev/null/jar") }.hasPrefix("file: "))
    #expect(sentence { _ = try HTTPSession(baseURL: "birds/") } != "no error")
  }
}
