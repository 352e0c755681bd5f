import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@Suite struct ArchiveTests {
  private static let encoder = make(includingSecrets: false)
  private static let openEncoder = make(includingSecrets: true)

  private static func make(includingSecrets: Bool) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if includingSecrets { encoder.userInfo[.includesSecrets] = true }
    return encoder
  }

  private static func full() throws -> Request {
    var request = try Request(.put, "https://user:word@h.test:8443/a%20b?q=1&token=abc&x=#part")
    request.headerFields = [.accept: "a/b", .authorization: "Basic xyz", .cookie: "a=b"]
    request.headerFields.append(HTTPField(name: .accept, value: "c/d"))
    request.body = .bytes(Data([0, 1, 255]))
    request.options.timeouts = Timeouts(connect: .seconds(3), idle: nil, total: .milliseconds(1_500))
    request.options.cachePolicy = .reload
    request.options.redirectLimit = 4
    request.options.handlesCookies = false
    request.options.priority = .high
    request.options.allowedNetworks = [.unmetered, .cellular]
    request.options.expectsContinue = true
    request.options.decodesContent = false
    request.options.version = .http1
    request.options.rateLimit = RateLimit(send: 10, receive: nil)
    request.options.isIdempotent = true
    request.options.delivery = .collected
    request.options.unixSocketPath = "/run/s"
    request.options.addressOverrides = [AddressOverride(host: "h.test", port: 1, address: "::1", addressPort: 2)]
    request.options.needs = [.trailers, .metrics]
    return request
  }

  private static func head() throws -> ResponseHead {
    var head = ResponseHead(
      url: try #require(URL(string: "https://u@h.test/?sig=1")), status: .init(code: 299, reasonPhrase: "Fine"),
      version: .http2, headerFields: [.setCookie: "a=b", .server: "s"], expectedLength: 12)
    head.source = .validated
    return head
  }

  @Test func `a request with its secrets is the same after a round trip`() throws {
    let request = try Self.full()
    let data = try Self.openEncoder.encode(request)
    let archive = try JSONDecoder().decode(RequestArchive.self, from: data)
    #expect(archive.omittedSecrets.isEmpty)
    #expect(archive.request.method == .put)
    #expect(archive.request.url == request.url)
    #expect(archive.request.headerFields == request.headerFields)
    #expect(archive.request.options == request.options)
    guard case .bytes(let bytes) = archive.request.body.source else { throw CancellationError() }
    #expect(bytes == Data([0, 1, 255]))
    #expect(try Self.openEncoder.encode(archive.request) == data)
  }

  @Test func `secrets are left out unless they are asked for, and the archive says which`() throws {
    let data = try Self.encoder.encode(try Self.full())
    let text = String(decoding: data, as: UTF8.self)
    for secret in ["word", "abc", "xyz", "a=b"] { #expect(!text.contains(secret), "\(secret) is in \(text)") }
    let archive = try JSONDecoder().decode(RequestArchive.self, from: data)
    #expect(archive.omittedSecrets == ["authorization", "cookie", "token", "user"])
    #expect(archive.request.url.absoluteString == "https://h.test:8443/a%20b?q=1&x=#part")
    #expect(archive.request.headerFields[values: .accept] == ["a/b", "c/d"])
    // What was left out once is still said after another round trip.
    let again = try JSONDecoder().decode(RequestArchive.self, from: Self.openEncoder.encode(archive))
    #expect(again.omittedSecrets == archive.omittedSecrets)
  }

  @Test func `a head keeps all but its secrets`() throws {
    let head = try Self.head()
    #expect(try JSONDecoder().decode(ResponseHead.self, from: Self.openEncoder.encode(head)) == head)
    let without = try JSONDecoder().decode(ResponseHead.self, from: Self.encoder.encode(head))
    #expect(without.headerFields == [.server: "s"])
    #expect(without.url.absoluteString == "https://h.test/")
    #expect(without.status.reasonPhrase == "Fine")
  }

  @Test func `a part of a file is kept, and a file that is gone is found out when it is sent`() throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/body"
    let file = try LocalFileSystem().open(path, [.write, .create])
    try [UInt8](repeating: 7, count: 10).withUnsafeBytes { try file.write($0, at: 0) }
    try file.close()
    let body = try Body.file(URL(filePath: path), range: 2..<5)
    let data = try Self.encoder.encode(body)
    try LocalFileSystem().remove(path)
    guard case .file(let region) = try JSONDecoder().decode(Body.self, from: data).source else {
      throw CancellationError()
    }
    #expect((region.path, region.offset, region.length, region.fileLength) == (path, 2, 3, 10))
    for wrong in ["\"offset\":-1", "\"offset\":9", "\"length\":9223372036854775807"] {
      let name = wrong.prefix(while: { $0 != ":" })
      let text = String(decoding: data, as: UTF8.self)
        .replacing(try Regex(String(name) + ":[0-9]+"), with: wrong)
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Body.self, from: Data(text.utf8)) }
    }
  }

  @Test func `a stream and too many bytes are refused with a typed error`() throws {
    var request = try Request(.post, "http://h.test/")
    request.body = .stream(replayable: true) { throw CancellationError() }
    #expect(throws: NetworkError.self) { try Self.encoder.encode(request) }
    #expect((try? Self.encoder.encode(request)) == nil)
    request.body = .bytes(Data(count: Body.archivedBytesLimit + 1))
    do {
      _ = try Self.encoder.encode(request)
      Issue.record("too many bytes are archived")
    } catch {
      #expect((error as? NetworkError)?.kind == .bodyTooLarge)
    }
  }

  @Test func `an empty body is not a body of no bytes`() throws {
    for (body, isEmpty) in [(Body.empty, true), (.bytes(Data()), false)] {
      #expect(try JSONDecoder().decode(Body.self, from: Self.encoder.encode(body)).isEmpty == isEmpty)
    }
  }

  @Test(
    arguments: [
      (#""version":1"#, #""version":2"#), (#""method":"PUT""#, #""method":"P T""#),
      (#""method":"PUT""#, #""method":"""#), (#""url":"https:"#, #""url":"ht tps:"#), ("a/b", "a\\r\\nX: y"),
      (#""Accept""#, #""Ac cept""#), (#""cachePolicy":"reload""#, #""cachePolicy":"sometimes""#),
      (#""redirectLimit":4"#, #""redirectLimit":99999999999999999999"#),
    ])
  func `a part that is invalid is a decoding error`(_ old: String, _ new: String) throws {
    let text = String(decoding: try Self.openEncoder.encode(try Self.full()), as: UTF8.self)
    let range = try #require(text.firstRange(of: old), "\(old) is not in \(text)")
    var changed = text
    changed.replaceSubrange(range, with: new)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Request.self, from: Data(changed.utf8)) }
  }

  /// How many archives are mutated; `CURLEW_ARCHIVE_MUTATIONS` sets another number, `CURLEW_ARCHIVE_SEED` another run.
  private static let mutations =
    getenv("CURLEW_ARCHIVE_MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 2_000
  private static let seed = getenv("CURLEW_ARCHIVE_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1

  @Test(.timeLimit(.minutes(max(5, mutations / 10_000))))
  func `a mutated archive is a decoding error or a value that round-trips`() async throws {
    let archives = [
      try Self.openEncoder.encode(try Self.full()), try Self.encoder.encode(try Self.full()),
      try Self.openEncoder.encode(try Self.head()),
    ]
    var state = Self.seed
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let marks = Array("\"{}[],:0-9.eE\\u\0 ".utf8)
    var read = 0
    for number in 0..<Self.mutations {
      if number % 50 == 0 { await Task.yield() }
      var bytes = Array(archives[number % 3])
      for _ in 0...random(3) {
        switch random(4) {
        case 0: bytes[random(bytes.count)] ^= UInt8(1 << random(8))
        case 1: bytes[random(bytes.count)] = marks[random(marks.count)]
        case 2: bytes.remove(at: random(bytes.count))
        default: bytes.insert(bytes[random(bytes.count)], at: random(bytes.count))
        }
      }
      do {
        if number % 3 == 2 {
          let head = try JSONDecoder().decode(ResponseHead.self, from: Data(bytes))
          #expect(try JSONDecoder().decode(ResponseHead.self, from: Self.openEncoder.encode(head)) == head)
        } else {
          let archive = try JSONDecoder().decode(RequestArchive.self, from: Data(bytes))
          let once = try Self.openEncoder.encode(archive)
          #expect(try Self.openEncoder.encode(JSONDecoder().decode(RequestArchive.self, from: once)) == once)
        }
        read += 1
      } catch {
        #expect(error is DecodingError, "\(error)")
      }
    }
    #expect(read > 0)
  }
}
