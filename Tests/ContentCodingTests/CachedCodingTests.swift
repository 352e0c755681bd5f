import CurlewContentCoding
import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

/// Whether bodies are cut at each of their bytes, which takes minutes.
private let cutsEverywhere = getenv("CURLEW_EVERY_CUT") != nil

/// A cache inside of the decoding keeps what was sent.
@Suite(.timeLimit(.minutes(cutsEverywhere ? 60 : 1))) struct CachedCodingTests {
  private static let url = URL(string: "http://example.com/")!
  private static let plain = CodedSample.text(100_000)

  private static func scene(
    _ store: any CacheStore = MemoryCacheStore(),
    _ answer: @escaping @Sendable (StubTransport.Asked) throws -> StubAnswer
  ) -> (Loader, RecordingTransport) {
    let transport = RecordingTransport(StubTransport { try answer($0) })
    let chain = InterceptorChain(decoding: ContentDecoding(), caching: Caching(store))
    return (Loader(transport, chain: chain), transport)
  }

  private static func fields(_ more: HTTPFields = [:]) -> HTTPFields {
    var fields: HTTPFields = [.contentEncoding: "gzip", .cacheControl: "max-age=1000"]
    for field in more { fields.append(field) }
    return fields
  }

  private static func get(_ loader: Loader, _ fields: HTTPFields = [:]) async throws -> (ResponseHead, Data) {
    let response = try await loader.load(Request(.get, url, headerFields: fields))
    return (response.head, try await response.body.collect(upTo: 1 << 20))
  }

  @Test func `a stored coded body is decoded on its way out, again and again`() async throws {
    let coded = try CodedSample.coded(Self.plain, .gzip)
    let (loader, transport) = Self.scene { _ in StubAnswer(headerFields: Self.fields(), body: [.bytes(coded)]) }
    for source in [ResponseHead.Source.network, .cache, .cache] {
      let (head, body) = try await Self.get(loader)
      #expect(body == Self.plain)
      #expect(head.source == source)
      #expect(head.undoneCoding == UndoneCoding([.gzip], codedLength: Int64(coded.count)))
    }
    #expect(transport.requests.count == 1)
  }

  @Test func `a response that varies by Accept-Encoding is found again, and not for who offers another`() async throws {
    let coded = try CodedSample.coded(Self.plain, .gzip)
    let (loader, transport) = Self.scene { asked in
      let takesGzip = asked.request.headerFields[.acceptEncoding]?.contains("gzip") == true
      var fields = Self.fields([.vary: "Accept-Encoding"])
      if !takesGzip { fields[.contentEncoding] = nil }
      return StubAnswer(headerFields: fields, body: [.bytes(takesGzip ? coded : Self.plain)])
    }
    for _ in 0..<2 { #expect(try await Self.get(loader).1 == Self.plain) }
    #expect(transport.requests.count == 1)
    for _ in 0..<2 { #expect(try await Self.get(loader, [.acceptEncoding: "identity"]).1 == Self.plain) }
    #expect(transport.requests.count == 2)
    #expect(try await Self.get(loader).1 == Self.plain)
    #expect(transport.requests.count == 2)
  }

  /// Item 8: the answer to a range is stored coded, and a plain GET gets it decoded.
  @Test func `what a request for a range stored is decoded for who asks for all`() async throws {
    let coded = try CodedSample.coded(Self.plain, .gzip)
    let (loader, _) = Self.scene { _ in StubAnswer(headerFields: Self.fields(), body: [.bytes(coded)]) }
    for _ in 0..<2 {
      #expect(try await Self.get(loader, [.range: "bytes=0-999999"]).1 == Self.plain)
      #expect(try await Self.get(loader).1 == Self.plain)
    }
  }

  @Test(arguments: ContentDecoder.codings, [0, 1, 2]) func `a body that is cut inside its coding is not stored`(
    _ coding: ContentCoding, _ framing: Int
  ) async throws {
    let coded = try CodedSample.coded(Self.plain, coding)
    let isWhole = Guarded(false)
    let (loader, transport) = Self.scene { _ in
      let bytes = isWhole.withLock { $0 } ? coded : coded.dropLast(3)
      var answer = StubAnswer(headerFields: Self.fields(), body: [.bytes(bytes)])
      answer.headerFields[.contentEncoding] = coding.rawValue
      answer.announcesLength = framing == 0
      if framing == 1 { answer.headerFields[.transferEncoding] = "chunked" }
      return answer
    }
    for index in 1...2 {
      let error = await #expect(throws: NetworkError.self) { _ = try await Self.get(loader) }
      #expect(error?.kind == .truncatedBody)
      #expect(transport.requests.count == index)
    }
    isWhole.withLock { $0 = true }
    #expect(try await Self.get(loader).1 == Self.plain)
    #expect(try await Self.get(loader).1 == Self.plain)
    #expect(transport.requests.count == 3)
  }

  /// `ContentDecoderTests` cuts at every byte; here the framing and the cache are added, for every 1,117th byte, or for
  /// each one where `CURLEW_EVERY_CUT=1`: by a length and by the other end of the framing, some minutes.
  @Test(arguments: ContentDecoder.codings, [ResponseHead.Version.http10, .http11, .http2])
  func `a 64 kB body that is cut anywhere is an error in each framing, and asked for again`(
    _ coding: ContentCoding, _ version: ResponseHead.Version
  ) async throws {
    let everyCut = cutsEverywhere
    let coded = try CodedSample.coded(CodedSample.text(everyCut ? 200_000 : 230_000), coding)
    let cut = Guarded((count: 0, isAnnounced: false))
    let answered = Guarded(0)
    let stub = StubTransport { _ in
      let (count, isAnnounced) = cut.withLock { $0 }
      answered.withLock { $0 += 1 }
      let bytes = coded.prefix(count)
      var answer = StubAnswer(headerFields: Self.fields(), body: [.bytes(bytes)], version: version)
      answer.headerFields[.contentEncoding] = coding.rawValue
      // By the connection's end, by chunks, by the stream's end; and by a length.
      answer.announcesLength = isAnnounced
      if !answer.announcesLength, version == .http11 { answer.headerFields[.transferEncoding] = "chunked" }
      return answer
    }
    let chain = InterceptorChain(decoding: ContentDecoding(), caching: Caching(MemoryCacheStore()))
    let loader = Loader(stub, chain: chain)
    var sent = 0
    // `#expect` describes its values each time, which would take most of the time of a million cuts.
    var wrong: [String] = []
    for count in stride(from: 1, to: coded.count, by: everyCut ? 1 : 1_117) {
      for isAnnounced in [false, true] where everyCut || isAnnounced == (count % 2 == 0) {
        cut.withLock { $0 = (count, isAnnounced) }
        sent += 1
        do {
          _ = try await Self.get(loader)
          wrong.append("the response cut after \(count) bytes was taken for a whole one")
        } catch let error as NetworkError where error.kind == .truncatedBody {
        } catch {
          wrong.append("the response cut after \(count) bytes failed with \(error)")
        }
        if answered.withLock({ $0 }) != sent { wrong.append("the one cut after \(count) bytes came from the cache") }
      }
    }
    #expect(wrong.prefix(5) == [])
    #expect(sent > 50)
    if everyCut { print("\(coding) over \(version.rawValue): \(coded.count) bytes, \(sent) cuts") }
  }

  /// A variant has a key of its own; a stale response that the server confirms is read from the store.
  @Test func `a wrong body is forgotten where it varies, and where it was confirmed`() async throws {
    let coded = try CodedSample.coded(Self.plain, .gzip)
    for more in [[.vary: "Accept-Encoding"], [.eTag: "\"a\"", .cacheControl: "no-cache"]] as [HTTPFields] {
      let (loader, transport) = Self.scene { asked in
        if asked.request.headerFields[.ifNoneMatch] != nil { return StubAnswer(.notModified) }
        return StubAnswer(headerFields: Self.fields(more), body: [.bytes(coded.dropLast())])
      }
      for _ in 0..<2 { await #expect(throws: NetworkError.self) { _ = try await Self.get(loader) } }
      #expect(transport.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, nil])
    }
  }

  /// As after a fault of the disk that its checksum does not see, or where the body was stored without being decoded.
  @Test func `a stored body that turns out to be wrong is forgotten`() async throws {
    let coded = try CodedSample.coded(Self.plain, .gzip)
    let store = MemoryCacheStore()
    let (loader, transport) = Self.scene(store) { asked in
      StubAnswer(headerFields: Self.fields(), body: [.bytes(asked.index == 0 ? coded.dropLast() : coded)])
    }
    // A reader that leaves the content coded stores it unseen.
    var raw = Request(.get, Self.url, headerFields: [.acceptEncoding: "gzip"])
    raw.options.decodesContent = false
    _ = try await loader.load(raw).body.collect(upTo: 1 << 20)
    await #expect(throws: NetworkError.self) { _ = try await Self.get(loader) }
    #expect(transport.requests.count == 1)
    #expect(try await Self.get(loader).1 == Self.plain)
    #expect(transport.requests.count == 2)
  }
}
