import CurlewAWSSignature
import CurlewBatch
import CurlewCore
import CurlewCurlTransport
import CurlewDownload
import CurlewLoading
import CurlewSQLiteBatchStore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

/// Downloads over real sockets, from a server that checks each signature by signing what arrived itself.
@Suite struct DownloadTests {
  /// A folder that is removed at the end.
  private func inFolder(_ work: (String) async throws -> Void) async throws {
    let name = "curlew-aws-\(UInt64.random(in: 0 ... .max))"
    let folder = FileManager.default.temporaryDirectory.appending(path: name).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await work(folder)
  }

  /// Returns whether a request is signed: the same fields, at the same time, give the same signature.
  private static func isSigned(_ request: OriginRequest, at address: String) async throws -> Bool {
    guard let authorization = request["Authorization"], let time = request["X-Amz-Date"],
      let mark = authorization.firstRange(of: "SignedHeaders=")
    else { return false }
    let names = authorization[mark.upperBound...].prefix { $0 != "," }
    var copy = try Request(.get, address + request.target)
    for name in names.split(separator: ";") where name != "host" && !name.hasPrefix("x-amz-") {
      for value in request.fields[values: String(name)] {
        copy.headerFields.append(HTTPField(name: try #require(HTTPField.Name(String(name))), value: value))
      }
    }
    let (day, rest) = (time.prefix(8), time.dropFirst(9))
    let text =
      "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))"
      + "T\(rest.prefix(2)):\(rest.dropFirst(2).prefix(2)):\(rest.suffix(3))"
    let clock = ManualClock(date: try #require(InternetDate.parse(text)))
    let sent = Sent()
    try await sent.send(
      copy, through: AWSSignature(for: [address], region: "r") { .example }, clock: clock)
    return sent.requests.first?.headerFields[.authorization] == authorization
  }

  @Test func `a download that is cut off is signed again with the range of its rest`() async throws {
    let size: Int64 = 300_000
    let ranges = Mutex<[String?]>([])
    let origin = try await ScriptedOrigin.start { request in
      let isSigned = try? await Self.isSigned(request, at: "http://\(request["Host"] ?? "")")
      guard isSigned == true else { return .status(403) }
      let range = request["Range"]
      ranges.withLock { $0.append(range) }
      let fields: OriginFields = ["ETag": "\"1\"", "Accept-Ranges": "bytes"]
      guard let range, let start = Int64(range.dropFirst(6).dropLast()) else {
        return OriginReply.ok(.seeded(1), count: size, fields).cut(after: 200_000)
      }
      let rest = BytePattern.seeded(1).bytes(from: start, count: Int(size - start))
      let length = "\(size - start)"
      let partial = fields.merging([
        "Content-Range": "bytes \(start)-\(size - 1)/\(size)", "Content-Length": length,
      ])
      return OriginReply(.head(206, partial), .body(rest))
    }
    let transport = try CurlTransport()
    let signature = try AWSSignature(for: [origin.address()], region: "r") { .example }
    let loader = Loader(transport, chain: InterceptorChain(authentication: signature))
    try await inFolder { folder in
      let request = try Request(.get, origin.address("/a%20b"))
      _ = try await Downloader(loader, DownloadConfiguration(request, to: .file(folder + "/file"))).run()
      #expect(
        try Data(contentsOf: URL(filePath: folder + "/file"))
          == Data(BytePattern.seeded(1).bytes(count: Int(size))))
    }
    #expect(ranges.withLock { $0.count } >= 2)
    #expect(ranges.withLock { $0.last.flatMap(\.self)?.hasPrefix("bytes=") } == true)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a batch that was stopped goes on, and no stored request has a signature`() async throws {
    let count = 40
    let origin = try await ScriptedOrigin.start { request in
      let isSigned = try? await Self.isSigned(request, at: "http://\(request["Host"] ?? "")")
      guard isSigned == true else { return .status(403) }
      return .ok(request.path, ["ETag": "\"1\""])
    }
    let transport = try CurlTransport()
    let signature = try AWSSignature(for: [origin.address()], region: "r") { .example }
    let loader = Loader(transport, chain: InterceptorChain(authentication: signature))
    try await inFolder { folder in
      let store = try await SQLiteBatchStore(folder + "/batch")
      let batch = Batch(over: loader, store: store)
      try await batch.add(
        (0..<count).map { number in
          try .download("\(number)", Request(.get, origin.address("/\(number)")), to: folder + "/\(number)")
        })
      batch.start()
      await origin.until { $0.requests >= 10 }
      batch.stop()
      await store.close()
      let stored = try Data(contentsOf: URL(filePath: folder + "/batch"))
      #expect(stored.firstRange(of: Data("AWS4".utf8)) == nil)
      #expect(stored.firstRange(of: Data("EXAMPLEKEY".utf8)) == nil)
      let next = try await SQLiteBatchStore(folder + "/batch")
      let summary = try await Batch(over: loader, store: next).run()
      #expect(summary.succeeded == count)
      await next.close()
      for number in 0..<count {
        #expect(try Data(contentsOf: URL(filePath: folder + "/\(number)")) == Data("/\(number)".utf8))
      }
    }
    await transport.shutdown()
    await origin.stop()
  }
}
