import CurlewContentCoding
import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct ContentDecodingTests {
  static let url = URL(string: "http://example.com/")!
  static let plain = CodedSample.text(300_000)

  private static func answer(_ bytes: Data, _ coding: String, status: Int = 200, pieces: Int = 7_000) -> StubAnswer {
    var steps: [StubAnswer.Step] = []
    var rest = bytes
    while !rest.isEmpty {
      steps.append(.bytes(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    return StubAnswer(
      HTTPResponse.Status(code: status), headerFields: [.contentEncoding: coding, .contentType: "text/plain"],
      body: steps)
  }

  private static func loader(_ transport: any Transport, _ decoding: ContentDecoding = ContentDecoding()) -> Loader {
    Loader(transport, chain: InterceptorChain(decoding: decoding))
  }

  private static func gzip() throws -> Data { try CodedSample.coded(plain, .gzip) }

  // MARK: Requests

  @Test func `codings are offered, but with a range, an offer of the app's own, or when it is not wanted`() async throws
  {
    let sent = RecordingTransport(StubTransport(.text("x")))
    let loader = Self.loader(sent)
    func offer(_ fields: HTTPFields = [:], _ decodes: Bool? = nil) async throws -> [String] {
      var request = Request(.get, Self.url, headerFields: fields)
      request.options.decodesContent = decodes
      _ = try await loader.load(request)
      return sent.requests.last?.headerFields[values: .acceptEncoding] ?? []
    }
    #expect(try await offer() == ["gzip, deflate, br, zstd"])
    #expect(try await offer([.accept: "a/b"]) == ["gzip, deflate, br, zstd"])
    #expect(try await offer([.range: "bytes=1-"]) == [])
    #expect(try await offer([.acceptEncoding: "identity"]) == ["identity"])
    #expect(try await offer([.acceptEncoding: "br"], true) == ["br"])
    #expect(try await offer([:], false) == [])
    let few = Self.loader(sent, ContentDecoding([.zstd, ContentCoding(rawValue: "foo"), .gzip]))
    _ = try await few.load(Request(.get, Self.url))
    #expect(sent.requests.last?.headerFields[.acceptEncoding] == "zstd, gzip")
    let none = Self.loader(sent, ContentDecoding([]))
    _ = try await none.load(Request(.get, Self.url))
    #expect(sent.requests.last?.headerFields[.acceptEncoding] == nil)
  }

  @Test func `a chain without the stage, and a transport that decodes by itself, are left alone`() async throws {
    let coded = try Self.gzip()
    let raw = RecordingTransport(StubTransport(Self.answer(coded, "gzip")))
    var response = try await Loader(raw).load(Request(.get, Self.url))
    #expect(try await response.body.collect(upTo: 1 << 20) == coded)
    #expect(response.head.headerFields[.contentEncoding] == "gzip")
    #expect(raw.requests.last?.headerFields[.acceptEncoding] == nil)
    var capabilities = StubTransport.defaultCapabilities
    capabilities.remove(.rawContent)
    let decoding = RecordingTransport(StubTransport(Self.answer(coded, "gzip"), capabilities: capabilities))
    response = try await Self.loader(decoding).load(Request(.get, Self.url))
    #expect(try await response.body.collect(upTo: 1 << 20) == coded)
    #expect(decoding.requests.last?.headerFields[.acceptEncoding] == nil)
  }

  // MARK: Responses

  @Test func `a coded body is read, collected and drained alike, with its trailers`() async throws {
    for coding in ContentDecoder.codings {
      var answer = Self.answer(try CodedSample.coded(Self.plain, coding), coding.rawValue)
      answer.trailers = [.eTag: "\"t\""]
      answer.announcesLength = false
      answer.headerFields[.transferEncoding] = "chunked"
      let loader = Self.loader(StubTransport(answer))
      #expect(try await loader.load(Request(.get, Self.url)).body.collect(upTo: 1 << 20) == Self.plain)
      let read = try await loader.load(Request(.get, Self.url))
      var all = Data()
      for try await chunk in read.body {
        #expect(chunk.count <= 65_536)
        all += chunk
      }
      #expect(all == Self.plain)
      #expect(read.body.trailers == [.eTag: "\"t\""])
      #expect(read.head.undoneCoding == UndoneCoding([coding]))
      let drained = try await loader.load(Request(.get, Self.url))
      let sink = CollectingSink(waitsEvery: 3)
      try await drained.body.drain(into: sink)
      #expect(sink.bytes == Self.plain)
    }
  }

  @Test func `the head says what was undone`() async throws {
    let coded = try Self.gzip()
    let head = try await Self.loader(StubTransport(Self.answer(coded, "x-gzip"))).load(Request(.get, Self.url)).head
    #expect(head.undoneCoding == UndoneCoding([.gzip], codedLength: Int64(coded.count)))
    #expect(head.expectedLength == nil)
    #expect(head.headerFields == [.contentType: "text/plain"])
  }

  @Test func `identity is no coding`() async throws {
    for (coding, undone) in [("identity", nil), ("identity, gzip", UndoneCoding([.gzip], codedLength: 20))] {
      let bytes = undone == nil ? Data("plain".utf8) : try CodedSample.coded(Data(), .gzip)
      let response = try await Self.loader(StubTransport(Self.answer(bytes, coding))).load(Request(.get, Self.url))
      #expect(response.head.undoneCoding == undone)
      #expect(try await response.body.collect(upTo: 100) == (undone == nil ? bytes : Data()))
    }
  }

  @Test func `an error's body is decoded too, a part and a request for raw content are not`() async throws {
    let coded = try Self.gzip()
    for (status, decodes) in [(200, true), (404, true), (500, true), (206, false)] {
      let loader = Self.loader(StubTransport(Self.answer(coded, "gzip", status: status)))
      let response = try await loader.load(Request(.get, Self.url))
      #expect(try await response.body.collect(upTo: 1 << 20) == (decodes ? Self.plain : coded), "\(status)")
      #expect((response.head.undoneCoding != nil) == decodes)
    }
    let loader = Self.loader(StubTransport(Self.answer(coded, "gzip")))
    for (fields, decodes, expected) in [
      ([:], false, false), ([.acceptEncoding: "gzip"], nil, false), ([.acceptEncoding: "gzip"], true, true),
      ([.range: "bytes=0-"], nil, true),
    ] as [(HTTPFields, Bool?, Bool)] {
      var request = Request(.get, Self.url, headerFields: fields)
      request.options.decodesContent = decodes
      let response = try await loader.load(request)
      #expect(try await response.body.collect(upTo: 1 << 20) == (expected ? Self.plain : coded))
    }
    // A stage that knows zstd only leaves gzip alone.
    let few = Self.loader(StubTransport(Self.answer(coded, "gzip")), ContentDecoding([.zstd]))
    #expect(try await few.load(Request(.get, Self.url)).body.collect(upTo: 1 << 20) == coded)
  }

  // MARK: Ends

  @Test func `a cut body ends in truncatedBody, a damaged one in contentDecodingFailed, with what is known`()
    async throws
  {
    let coded = try Self.gzip()
    var damaged = coded
    damaged[damaged.count / 2] ^= 0x55
    for (bytes, kind, reason) in [
      (coded.dropLast(9), .truncatedBody, .cut), (damaged, .contentDecodingFailed, .damaged),
      (coded + Data([1]), .contentDecodingFailed, .trailingBytes),
    ] as [(Data, NetworkError.Kind, ContentDecodingError.Reason)] {
      let response = try await Self.loader(StubTransport(Self.answer(bytes, "gzip"))).load(Request(.get, Self.url))
      let error = await #expect(throws: NetworkError.self) { _ = try await response.body.collect(upTo: 1 << 20) }
      #expect(error?.kind == kind)
      #expect((error?.details.underlying as? ContentDecodingError)?.reason == reason)
      #expect(error?.details.response?.status == .ok)
      #expect(error?.details.request?.url == Self.url)
      #expect(error?.maybeProcessed == true)
      #expect(error?.isRetryable == true)
    }
  }

  @Test func `a body without a byte is empty where its end is marked, and cut where it is not`() async throws {
    var answer = StubAnswer(headerFields: [.contentEncoding: "gzip"])
    var response = try await Self.loader(StubTransport(answer)).load(Request(.get, Self.url))
    #expect(try await response.body.collect(upTo: 1).isEmpty)
    answer.announcesLength = false
    for (version, fields, isEmpty) in [
      (.http11, [:], false), (.http10, [:], false), (.http11, [.transferEncoding: "chunked"], true),
      (.http2, [:], true),
    ] as [(ResponseHead.Version, HTTPFields, Bool)] {
      answer.version = version
      answer.headerFields = [.contentEncoding: "gzip"]
      answer.headerFields.append(contentsOf: fields)
      response = try await Self.loader(StubTransport(answer)).load(Request(.get, Self.url))
      let bytes = try? await response.body.collect(upTo: 1)
      #expect(bytes == (isEmpty ? Data() : nil), "\(version) \(fields)")
    }
  }

  @Test func `too many codings are refused with the head`() async throws {
    let loader = Self.loader(StubTransport(Self.answer(Data([1]), "gzip, gzip, gzip, gzip, gzip")))
    let error = await #expect(throws: NetworkError.self) { _ = try await loader.load(Request(.get, Self.url)) }
    #expect(error?.kind == .decodingLimitExceeded)
    #expect(error?.isRetryable == false)
  }

  @Test func `a bomb that is read can be cancelled although nothing more comes`() async throws {
    let bomb = try CodedSample.coded(Data(count: 64 << 20), .brotli)
    for cancelsTask in [true, false] {
      let response = try await Self.loader(StubTransport(Self.answer(bomb, "br"))).load(Request(.get, Self.url))
      var iterator = response.body.makeAsyncIterator()
      _ = try await iterator.next()
      if cancelsTask { withUnsafeCurrentTask { $0?.cancel() } } else { response.body.cancel() }
      await #expect(throws: CancellationError.self) { while try await iterator.next() != nil {} }
      if cancelsTask { return }
    }
  }

  @Test func `what a sink throws ends the body`() async throws {
    let response = try await Self.loader(StubTransport(Self.answer(try Self.gzip(), "gzip"))).load(
      Request(.get, Self.url))
    await #expect(throws: CollectingSink.Full.self) {
      try await response.body.drain(into: CollectingSink(waitsEvery: 2, room: 100_000))
    }
  }
}

extension HTTPFields {
  fileprivate mutating func append(contentsOf fields: HTTPFields) { for field in fields { append(field) } }
}

/// Keeps what it gets, and waits now and then.
final class CollectingSink: BodySink {
  struct Full: Error {}

  private let state = Guarded((bytes: Data(), calls: 0, ready: 0))
  private let interval: Int
  private let room: Int

  init(waitsEvery interval: Int, room: Int = .max) {
    self.interval = interval
    self.room = room
  }

  var bytes: Data { state.withLock { $0.bytes } }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    try state.withLock { state in
      guard state.bytes.count + bytes.count <= room else { throw Full() }
      state.bytes.append(contentsOf: bytes)
      state.calls += 1
      return state.calls % interval == 0 ? .pause : .more
    }
  }

  func ready() async throws { await Task.yield() }
}
