import CurlewCore
import CurlewDigests
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

@Suite(.timeLimit(.minutes(10))) struct VerificationTests {
  private let bytes = SeededResource(length: 300_000, seed: 5).bytes(count: 300_000)
  private let url = URL(string: "http://stub.test/f") ?? URL(filePath: "/")

  private func answer(_ fields: HTTPFields = [:], status: HTTPResponse.Status = .ok, from offset: Int = 0) -> StubAnswer
  {
    var all: HTTPFields = [.contentLength: "\(bytes.count - offset)", .eTag: "\"v1\""]
    if offset > 0 { all[.contentRange] = "bytes \(offset)-\(bytes.count - 1)/\(bytes.count)" }
    for field in fields { all.append(field) }
    return StubAnswer(status, headerFields: all, body: [.bytes(Data(bytes[offset...]))])
  }

  private func field(_ name: String, _ value: String) throws -> HTTPFields {
    [try #require(HTTPField.Name(name)): value]
  }

  private func base64(_ bytes: [UInt8], _ algorithm: DigestAlgorithm = .sha256) throws -> String {
    try Digest.of(Data(bytes), algorithm).base64EncodedString()
  }

  private func run(
    _ site: Site, _ answers: StubAnswer..., expecting: ExpectedDigest? = nil
  ) async throws -> DownloadResult {
    let loader = Loader(StubTransport(script: answers))
    return try await site.download(loader, url) { $0.file.verification.expected = expecting }.run()
  }

  @Test(arguments: [DigestAlgorithm.sha256, .sha512, .sha512Truncated256, .md5])
  func `a file with the expected digest appears, one with another does not`(algorithm: DigestAlgorithm) async throws {
    let site = try Site()
    let right = try digest(bytes, algorithm)
    let result = try await run(site, answer(), expecting: right)
    #expect(result.verified == right && site.contents() == bytes)
    try site.memory.remove(Site.path)
    let error = await #expect(throws: NetworkError.self) {
      try await run(site, answer(), expecting: try digest([1], algorithm))
    }
    #expect(error?.kind == .digestMismatch && error?.details.resumption == nil)
    #expect(try site.names() == [])
  }

  @Test func `the bytes of an earlier process are part of the digest`() async throws {
    let site = try Site()
    let resource = SeededResource(length: 300_000, seed: 5).with { $0.entityTag = "\"v1\"" }
    try await site.keep(100_000, of: resource, from: url)
    let result = try await run(site, answer(status: .partialContent, from: 100_000), expecting: try digest(bytes))
    #expect(result.resumedFrom == 100_000 && site.contents() == bytes)
  }

  @Test func `a file whose joined parts have the wrong digest is fetched whole, once`() async throws {
    let site = try Site()
    // The server says that the version is the same, and it is not.
    let other = SeededResource(length: 300_000, seed: 6).with { $0.entityTag = "\"v1\"" }
    try await site.keep(100_000, of: other, from: url)
    let result = try await run(
      site, answer(status: .partialContent, from: 100_000), answer(), expecting: try digest(bytes))
    #expect(result.resumedFrom == 0 && site.contents() == bytes)
    #expect(try site.names() == ["file.bin"])
  }

  @Test(arguments: ["Repr-Digest", "Content-Digest", "Digest"])
  func `the digest that a server sends is checked`(name: String) async throws {
    func value(_ text: String) -> String { name == "Digest" ? "SHA-256=" + text : "sha-256=:\(text):" }
    let site = try Site()
    let result = try await run(site, answer(try field(name, value(try base64(bytes)))))
    #expect(result.verified == (try digest(bytes)))
    try site.memory.remove(Site.path)
    let error = await #expect(throws: NetworkError.self) {
      try await run(site, answer(try field(name, value(try base64([1])))))
    }
    #expect(error?.kind == .digestMismatch)
    #expect(try site.names() == [])
  }

  @Test(arguments: ["Repr-Digest", "Content-Digest", "Digest"])
  func `a digest that comes behind the body is checked`(name: String) async throws {
    func trailed(_ bytes: [UInt8]) throws -> StubAnswer {
      let text = try base64(bytes)
      var trailed = answer()
      trailed.trailers = try field(name, name == "Digest" ? "SHA-256=" + text : "sha-256=:\(text):")
      return trailed
    }
    let site = try Site()
    #expect(try await run(site, try trailed(bytes)).verified == (try digest(bytes)))
    try site.memory.remove(Site.path)
    let error = await #expect(throws: NetworkError.self) { try await run(site, try trailed([1])) }
    #expect(error?.kind == .digestMismatch)
    #expect(try site.names() == [])
  }

  @Test func `a digest of a part that comes behind it is checked, and a wrong part is cut off again`() async throws {
    let site = try Site()
    let resource = SeededResource(length: 300_000, seed: 5).with { $0.entityTag = "\"v1\"" }
    try await site.keep(100_000, of: resource, from: url)
    func trailed(_ bytes: [UInt8]) throws -> StubAnswer {
      var trailed = answer(status: .partialContent, from: 100_000)
      trailed.trailers = try field("Content-Digest", "sha-256=:\(try base64(bytes)):")
      return trailed
    }
    let error = await #expect(throws: NetworkError.self) { try await run(site, try trailed([1])) }
    #expect(error?.kind == .digestMismatch && site.kept() == Array(bytes[..<100_000]))
    #expect(try await run(site, try trailed(Array(bytes[100_000...]))).resumedFrom == 100_000)
    #expect(site.contents() == bytes)
  }

  @Test func `trailers from the wire are read`() async throws {
    let text = try base64([UInt8]("hello".utf8))
    for isRight in [true, false] {
      let origin = try await ScriptedOrigin.start { _ in
        .chunked([isRight ? "hello" : "hullo"], trailers: ["Repr-Digest": "sha-256=:\(text):"])
      }
      let site = try Site()
      try await Carrier.curl.withLoader { loader in
        let outcome = await site.download(loader, origin.url("/f")).outcomeOfRun
        #expect((outcome.error as? NetworkError)?.kind == (isRight ? nil : .digestMismatch))
        #expect(site.contents() == (isRight ? [UInt8]("hello".utf8) : nil))
      }
      await origin.stop()
    }
  }

  @Test func `the strongest algorithm counts, and those that prove nothing are ignored`() async throws {
    let site = try Site()
    let both = try "sha-256=:\(base64(bytes)):, sha-512=:\(base64([1], .sha512)):"
    await #expect(throws: NetworkError.self) { try await run(site, answer(try field("Repr-Digest", both))) }
    for ignored in ["md5=:AAAAAAAAAAAAAAAAAAAAAA==:", "crc32c=:AAAAAA==:", "sha-256=:AAAA:", "\"", "sha-256=1"] {
      #expect(try await run(site, answer(try field("Repr-Digest", ignored))).verified == nil)
      try site.memory.remove(Site.path)
    }
  }

  @Test func `a digest field of a megabyte is ignored or refused, and a right file is whole`() async throws {
    let site = try Site()
    let long = try "sha-256=:\(base64([1])):, " + String(repeating: "x=1, ", count: 200_000) + "y"
    #expect(try await run(site, answer(try field("Repr-Digest", long))).verified == nil)
    #expect(site.contents() == bytes)
  }

  @Test func `the digest of a part is checked, and a wrong part is cut off again`() async throws {
    let site = try Site()
    let resource = SeededResource(length: 300_000, seed: 5).with { $0.entityTag = "\"v1\"" }
    try await site.keep(100_000, of: resource, from: url)
    let wrong = answer(
      try field("Content-Digest", "sha-256=:\(try base64([1])):"), status: .partialContent, from: 100_000)
    let error = await #expect(throws: NetworkError.self) { try await run(site, wrong) }
    #expect(error?.kind == .digestMismatch && error?.details.resumption?.completedBytes == 100_000)
    #expect(site.kept() == Array(bytes[..<100_000]))
    let right = answer(
      try field("Content-Digest", "sha-256=:\(try base64(Array(bytes[100_000...]))):"), status: .partialContent,
      from: 100_000)
    #expect(try await run(site, right).resumedFrom == 100_000)
    #expect(site.contents() == bytes)
  }

  @Test func `a digest that the first answer named is remembered for the next process`() async throws {
    let site = try Site()
    var cut = answer(try field("Repr-Digest", "sha-256=:\(try base64([1])):"))
    cut.body = [
      .bytes(Data(bytes[..<100_000])), .failure(NetworkError(.connectionLost, stage: .receivingBody, message: "Lost.")),
    ]
    await #expect(throws: NetworkError.self) { try await run(site, cut) }
    #expect(site.kept()?.count == 100_000)
    let error = await #expect(throws: NetworkError.self) {
      try await run(
        site, answer(status: .partialContent, from: 100_000),
        answer(try field("Repr-Digest", "sha-256=:\(try base64([1])):")))
    }
    #expect(error?.kind == .digestMismatch)
  }

  @Test func `a digest is read as text and written as text`() throws {
    let text = "sha-256:" + String(repeating: "0a", count: 32)
    #expect(try ExpectedDigest(text).description == text)
    #expect(try ExpectedDigest(text.uppercased()).description == text)
    for bad in [
      "sha-256:0a", "sha-1:" + String(repeating: "0", count: 40), "sha-256", text + "0",
      "sha-256:" + String(repeating: "g", count: 64), text + "\n", "",
    ] {
      let error = #expect(throws: NetworkError.self) { try ExpectedDigest(bad) }
      #expect(error?.kind == .invalidRequest)
    }
    #expect(throws: NetworkError.self) { try ExpectedDigest(.sha256, Data(count: 31)) }
  }
}
