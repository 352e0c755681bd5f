import CurlewAWSSignature
import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@Suite struct SigningTests {
  private func signature(
    for url: String = "https://b.example", service: String = "s3", payload: AWSSignature.Payload = .signed,
    token: String? = nil
  ) throws -> AWSSignature {
    try AWSSignature(for: [url], region: "r", service: service, payload: payload) {
      AWSCredentials(accessKeyID: "AKID", secretAccessKey: "the-secret", sessionToken: token)
    }
  }

  @Test func `other origins, signed URLs and requests with credentials are sent as they are`() async throws {
    let sent = Sent()
    var own = try Request(.get, "https://b.example/a+b")
    own.headerFields[.authorization] = "Bearer x"
    let others = try [
      own, Request(.get, "https://b.example/a+b?X-Amz-Signature=1"), Request(.get, "http://b.example/a+b"),
      Request(.get, "https://b.example:8443/a+b"), Request(.get, "https://c.example/a+b"),
    ]
    for request in others { try await sent.send(request, through: signature(), clock: ManualClock()) }
    for (request, one) in zip(sent.requests, others) {
      #expect(request.url == one.url)
      #expect(request.headerFields == one.headerFields)
    }
    #expect(sent.requests.count == 5)
  }

  @Test(arguments: [
    ("/a+b/%2e%2E//c%2Fd?x=1+2&&y&x=%7e", "/a%2Bb/..//c/d?x=1%2B2&y&x=~", "s3"),
    ("/a+b/%2e%2E//c%2Fd?x=1+2&&y&x=%7e", "/a+b/%2e%2E//c%2Fd?x=1%2B2&y&x=~", "execute-api"),
    ("/%ff%41", "/%FFA", "s3"), ("?", "/", "s3"),
  ])
  func `the target is sent so that every server reads what was signed`(
    given: String, sent: String, service: String
  ) async throws {
    let recorded = Sent()
    let request = try Request(.get, #require(URL(string: "https://b.example" + given)))
    try await recorded.send(request, through: signature(service: service), clock: ManualClock())
    #expect(try recorded.requests.first?.target == sent)
  }

  @Test func `the payload is hashed, or is not for S3 over TLS, or has the hash that the app knows`() async throws {
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appending(path: "curlew-aws-\(UInt64.random(in: 0 ... .max))")
    try Data("xabcx".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let bodies: [Body] = try [
      .text("abc"), .file(file, range: 1..<4), .stream(length: 3, replayable: true) { Once(Data("abc".utf8)) },
    ]
    let sent = Sent()
    for body in bodies {
      let request = Request(.put, try #require(URL(string: "https://b.example/")), body: body)
      try await sent.send(request, through: signature(), clock: ManualClock())
    }
    var request = Request(
      .put, try #require(URL(string: "https://b.example/")),
      body: .stream(length: 3, replayable: false) { Once(Data("abc".utf8)) })
    try await sent.send(request, through: signature(payload: .unsigned), clock: ManualClock())
    let error = await #expect(throws: NetworkError.self) {
      try await sent.send(request, through: signature(), clock: ManualClock())
    }
    #expect(error?.kind == .bodyNotReplayable)
    request.headerFields[try #require(HTTPField.Name("X-Amz-Content-Sha256"))] = hash
    try await sent.send(request, through: signature(), clock: ManualClock())
    let plain = Request(.put, try #require(URL(string: "http://b.example/")), body: .text("abc"))
    try await sent.send(plain, through: signature(for: "http://b.example", payload: .unsigned), clock: ManualClock())
    let hashes = sent.requests.map { $0[field: "X-Amz-Content-Sha256"] }
    #expect(hashes == [hash, hash, hash, "UNSIGNED-PAYLOAD", hash, hash])
  }

  final class Once: BodyChunks {
    private let bytes: Data
    private let left = Atomic<Bool>(true)
    init(_ bytes: Data) { self.bytes = bytes }
    func next() -> Data? { left.exchange(false, ordering: .relaxed) ? bytes : nil }
  }

  @Test func `a wrong clock is corrected once, for this request and later ones`() async throws {
    let clock = ManualClock()
    let server = clock.date.addingTimeInterval(-86_400)
    let signature = try signature()
    let sent = Sent()
    let answer: @Sendable (Int, Request) -> ResponseHead = { _, request in
      let time = request[field: "X-Amz-Date"] ?? ""
      let isRight = time.hasPrefix(String((InternetDate.text(server) ?? "").filter { $0 != "-" }.prefix(8)))
      return ResponseHead(
        url: request.url, status: isRight ? .ok : .forbidden, headerFields: [.date: HTTPDate(server).description])
    }
    let request = try Request(.get, "https://b.example/")
    for expected in [2, 3] {
      let response = try await sent.send(request, through: signature, clock: clock, answer: answer)
      #expect(response.head.status == .ok)
      #expect(sent.requests.count == expected)
    }
    // A server that refuses for another reason is not asked again.
    let refused = try await sent.send(request, through: signature, clock: clock) { _, request in
      ResponseHead(
        url: request.url, status: .forbidden,
        headerFields: [.date: HTTPDate(server.addingTimeInterval(200)).description])
    }
    #expect(refused.head.status == .forbidden)
    #expect(sent.requests.count == 4)
    // Nor is one whose clock runs away.
    let runaway = try await sent.send(request, through: signature, clock: clock) { number, request in
      ResponseHead(
        url: request.url, status: .forbidden,
        headerFields: [.date: HTTPDate(server.addingTimeInterval(Double(number) * 10_000)).description])
    }
    #expect(runaway.head.status == .forbidden)
    #expect(sent.requests.count == 6)
  }

  @Test func `each of many requests with a wrong clock is sent once more`() async throws {
    let clock = ManualClock()
    let signature = try signature()
    let sent = Sent()
    let late = clock.date.addingTimeInterval(7200)
    let right = (InternetDate.text(late) ?? "").filter { $0 != "-" && $0 != ":" }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          let request = try Request(.get, "https://b.example/")
          let response = try await sent.send(request, through: signature, clock: clock) { _, request in
            let isRight = request[field: "X-Amz-Date"] == right
            return ResponseHead(
              url: request.url, status: isRight ? .ok : .forbidden, headerFields: [.date: HTTPDate(late).description])
          }
          #expect(response.head.status == .ok)
        }
      }
      try await group.waitForAll()
    }
    #expect(sent.requests.count <= 100)
  }

  @Test func `an error has neither signature nor token`() async throws {
    let error = await #expect(throws: NetworkError.self) {
      try await Sent().send(
        Request(.get, "https://b.example/"), through: signature(token: "the-token"), clock: ManualClock()
      ) { _, request in
        throw NetworkError(.connectionLost, stage: .sending, message: "Lost.").with { $0.request = request }
      }
    }
    let request = try #require(error?.details.request)
    #expect(request.headerFields[.authorization] == nil)
    #expect(request[field: "X-Amz-Security-Token"] == nil)
    #expect(request[field: "X-Amz-Date"] != nil)
  }

  @Test func `a redirect to another origin gets no signature, and one to the same origin a new one`() async throws {
    let transport = StubTransport { asked in
      switch asked.index {
      case 0: StubAnswer(.found, headerFields: [.location: "/next"])
      case 1: StubAnswer(.found, headerFields: [.location: "https://c.example/"])
      default: .text("")
      }
    }
    let recorder = RecordingTransport(transport)
    let chain = InterceptorChain(redirect: Redirect(), authentication: try signature(token: "the-token"))
    _ = try await Loader(recorder, chain: chain).data(for: Request(.get, "https://b.example/"), upTo: 10)
    let requests = recorder.requests
    #expect(requests.map { $0.headerFields[.authorization] != nil } == [true, true, false])
    #expect(requests[0].headerFields[.authorization] != requests[1].headerFields[.authorization])
    #expect(requests[2][field: "X-Amz-Security-Token"] == nil)
  }

  @Test func `a cache gives no response to other credentials`() async throws {
    let transport = StubTransport { asked in
      StubAnswer(
        .ok, headerFields: [.cacheControl: "max-age=1000"],
        body: [.bytes(Data((asked.request.headerFields[.authorization] ?? "").utf8))])
    }
    let store = MemoryCacheStore(capacity: 1 << 20)
    var texts: Set<String> = []
    for id in ["AKID", "OTHER"] {
      let signature = try AWSSignature(for: ["https://b.example"], region: "r") {
        AWSCredentials(accessKeyID: id, secretAccessKey: "the-secret")
      }
      let chain = InterceptorChain(authentication: signature, caching: Caching(store))
      let (data, _) = try await Loader(transport, chain: chain).data(
        for: Request(.get, "https://b.example/"), upTo: 1000)
      texts.insert(String(String(decoding: data, as: UTF8.self).prefix(40)))
    }
    #expect(texts.count == 2)
  }

  @Test func `a signed URL lives for a second to seven days`() async throws {
    let request = try Request(.get, "https://b.example/")
    for lifetime in [Duration.zero, .milliseconds(999), .seconds(604_801)] {
      let error = await #expect(throws: NetworkError.self) {
        try await signature().presignedURL(for: request, lifetime: lifetime)
      }
      #expect(error?.kind == .invalidRequest)
    }
    let url = try await signature(token: "a/secret").presignedURL(for: request, lifetime: .seconds(604_800))
    #expect(url.absoluteString.contains("X-Amz-Security-Token=a%2Fsecret"))
    #expect(!Redaction.standard.redacted(url).contains("secret"))
  }
}
