import CurlewAWSSignature
import CurlewBatch
import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSQLiteBatchStore
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

/// The server that `Scripts/aws-peers` has started.
struct Moto: Decodable, Sendable {
  var address: String
  /// The server that compares contents with their signed hash.
  var judge: String
  var id: String
  var secret: String

  static let shared: Moto? = ProcessInfo.processInfo.environment["CURLEW_MOTO"].flatMap {
    try? JSONDecoder().decode(Moto.self, from: Data($0.utf8))
  }

  func signature() throws -> AWSSignature {
    try AWSSignature(for: [address, judge], region: "us-east-1") { [id, secret] in
      AWSCredentials(accessKeyID: id, secretAccessKey: secret)
    }
  }
}

/// Requests to moto's S3, which checks signatures with botocore. `Scripts/aws-peers` starts it and sets `CURLEW_MOTO`.
@Suite(.enabled(if: Moto.shared != nil, "Scripts/aws-peers runs it, with moto"), .serialized)
struct MotoTests {
  private static let keys = ["plain", "a b", "a+b", "é", "x=1&y", "deep/er/key", "~tilde", "per%25cent", "(1)!*'"]

  private func path(_ key: String) -> String {
    key.utf8.map { byte in
      let isPlain = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2F
      return isPlain ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) + 0x100, radix: 16).suffix(2).uppercased()
    }.joined()
  }

  @Test func `objects with any key are stored, read, listed and removed`() async throws {
    let moto = try #require(Moto.shared)
    let transport = try CurlTransport()
    let loader = Loader(transport, chain: InterceptorChain(authentication: try moto.signature()))
    func status(_ method: HTTPRequest.Method, _ target: String, _ body: Body = .empty) async throws -> (Int, String) {
      let request = Request(method, try Request(.get, moto.address + target).url, body: body)
      let (data, head) = try await loader.data(for: request, upTo: 1 << 20)
      return (head.status.code, String(decoding: data, as: UTF8.self))
    }
    for key in Self.keys {
      #expect(try await status(.put, "/birds/" + path(key), .text(key)).0 == 200, "\(key)")
      let read = try await status(.get, "/birds/" + path(key))
      #expect(read.0 == 200 && read.1 == key, "\(key): \(read)")
      #expect(try await status(.get, "/birds?list-type=2&prefix=" + path(key)).1.contains("<KeyCount>1<"), "\(key)")
      #expect(try await status(.delete, "/birds/" + path(key)).0 == 204, "\(key)")
    }
    let bare = try await Loader(transport).data(for: Request(.get, moto.address + "/birds/plain"), upTo: 1 << 20)
    // moto fails where there is no signature at all.
    #expect(bare.1.status.code >= 400)
    await transport.shutdown()
  }

  /// moto compares all that is signed, but not the content with its signed hash, which the next test does.
  @Test func `a request with one changed byte is refused`() async throws {
    let moto = try #require(Moto.shared)
    let transport = try CurlTransport()
    let signature = try moto.signature()
    var request = Request(.put, try Request(.get, moto.address + "/birds/object?x=1").url, body: .text("content"))
    request.headerFields[try #require(HTTPField.Name("X-Amz-Meta-Bird"))] = "curlew"
    let sent = Sent()
    try await sent.send(request, through: signature, clock: .system)
    let signed = try #require(sent.requests.first)
    func status(_ request: Request) async throws -> Int {
      try await Loader(transport).data(for: request, upTo: 1 << 20).1.status.code
    }
    #expect(try await status(signed) == 200)
    var refused = 0
    func check(_ changed: Request, _ what: String) async throws {
      let code = try await status(changed)
      #expect(code == 403, "\(what): \(code)")
      refused += 1
    }
    let signatureText = try #require(signed.headerFields[.authorization])
    for offset in 0..<64 {
      var changed = signed
      var bytes = Array(signatureText.utf8)
      let place = bytes.count - 64 + offset
      bytes[place] = bytes[place] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
      changed.headerFields[.authorization] = String(decoding: bytes, as: UTF8.self)
      try await check(changed, "signature \(offset)")
    }
    for field in signed.headerFields where field.name != .authorization {
      var changed = signed
      let last = field.value.last == "Z" ? field.value.dropLast(2).last : field.value.last
      let replacement = last == "1" ? "2" : "1"
      changed.headerFields[field.name] =
        field.value.last == "Z" ? field.value.dropLast(2) + replacement + "Z" : field.value.dropLast() + replacement
      if changed.headerFields[field.name] == field.value { continue }
      try await check(changed, field.name.rawName)
    }
    let text = signed.url.absoluteString
    for (old, new) in [("objec", "objeb"), ("x=1", "x=2")] {
      var changed = signed
      let range = try #require(text.firstRange(of: old))
      changed.url = try Request(.get, text[..<range.lowerBound] + new + text[range.upperBound...]).url
      try await check(changed, old)
    }
    var changed = signed
    changed.method = .delete
    try await check(changed, "method")
    print("aws-peers: \(refused) requests with one changed byte refused")
    await transport.shutdown()
  }

  @Test func `a request with one changed byte of its content is refused`() async throws {
    let moto = try #require(Moto.shared)
    let transport = try CurlTransport()
    let content = Array("bird=curlew&note=é".utf8)
    let request = Request(.put, try Request(.get, moto.judge + "/birds/a%20b?x=1").url, body: .bytes(Data(content)))
    let sent = Sent()
    try await sent.send(request, through: moto.signature(), clock: .system)
    let signed = try #require(sent.requests.first)
    #expect(try await Loader(transport).data(for: signed, upTo: 100).1.status == .ok)
    for index in content.indices {
      var changed = signed
      var bytes = content
      bytes[index] ^= 1
      changed.body = .bytes(Data(bytes))
      #expect(try await Loader(transport).data(for: changed, upTo: 100).1.status == .forbidden, "byte \(index)")
    }
    print("aws-peers: \(content.count) contents with one changed byte refused")
    await transport.shutdown()
  }

  private static let count = 200

  /// Downloads all objects into a folder; ends the process after some, as a kill does.
  private static func download(_ moto: Moto, into folder: String, killedAfter limit: Int?) async throws -> BatchSummary
  {
    let transport = try CurlTransport()
    let loader = Loader(transport, chain: InterceptorChain(authentication: try moto.signature()))
    let store = try await SQLiteBatchStore(folder + "/batch")
    let batch = Batch(over: loader, store: store)
    if try await batch.summary.total == 0 {
      try await batch.add(
        (0..<count).map { number in
          try .download("\(number)", Request(.get, "\(moto.address)/birds/batch/\(number)"), to: "\(folder)/\(number)")
        })
    }
    if let limit {
      batch.start()
      while try await batch.summary.succeeded < limit { await Task.yield() }
      kill(getpid(), SIGKILL)
    }
    let summary = try await batch.run()
    await store.close()
    await transport.shutdown()
    return summary
  }

  @Test func `a batch of 200 objects goes on after its process was killed`() async throws {
    let moto = try #require(Moto.shared)
    let transport = try CurlTransport()
    let loader = Loader(transport, chain: InterceptorChain(authentication: try moto.signature()))
    for number in 0..<Self.count {
      let content = Data(BytePattern.seeded(UInt64(number)).bytes(count: 50_000))
      let request = Request(
        .put, try Request(.get, "\(moto.address)/birds/batch/\(number)").url, body: .bytes(content))
      #expect(try await loader.data(for: request, upTo: 1000).1.status == .ok)
    }
    await transport.shutdown()
    let folder = FileManager.default.temporaryDirectory.appending(path: "curlew-moto-\(getpid())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for limit in [40, 120] {
      await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String, limit = limit as Int] in
        let moto = try #require(Moto.shared)
        _ = try await MotoTests.download(moto, into: folder, killedAfter: limit)
      }
    }
    let summary = try await Self.download(moto, into: folder, killedAfter: nil)
    #expect(summary.succeeded == Self.count)
    for number in 0..<Self.count {
      let content = try Data(contentsOf: URL(filePath: "\(folder)/\(number)"))
      #expect(content == Data(BytePattern.seeded(UInt64(number)).bytes(count: 50_000)), "\(number)")
    }
    print("aws-peers: \(Self.count) objects complete after the process was killed twice")
  }
}
