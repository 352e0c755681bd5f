import CurlewCore
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct UploadTests {
  /// A file that is gone with its owner.
  private final class Scratch: Sendable {
    let path = "/tmp/curlew-urlsession-\(UInt64.random(in: 0 ... .max))"
    var url: URL { URL(filePath: path) }

    init(_ bytes: [UInt8]) throws {
      let file = try LocalFileSystem().open(path, [.write, .create, .exclusive])
      try bytes.withUnsafeBytes { try file.write($0, at: 0) }
      try file.close()
    }

    deinit { try? LocalFileSystem().remove(path) }
  }

  @Test(arguments: [0, 1, 2, 16_384, 65_536, 1_000_000])
  func `bytes and files of any length arrive whole, with their length`(count: Int) async throws {
    let bytes = BytePattern.seeded(7).bytes(count: count)
    let scratch = try Scratch(bytes)
    try await withOrigin { request in
      .ok("\(await request.body().count)")
    } _: { origin, transport in
      for body in [.bytes(Data(bytes)), try Body.file(scratch.url)] {
        for method in [.post, .put, .patch, .delete] as [HTTPRequest.Method] {
          #expect(try await transport.fetch(Request(method, origin.url(), body: body)).body == Data("\(count)".utf8))
        }
      }
      #expect(origin.requests.count == 8)
      for request in origin.requests {
        #expect(request.received == bytes)
        #expect(request.fields[values: "Content-Length"] == ["\(count)"])
        #expect(request["Transfer-Encoding"] == nil)
        #expect(request["Content-Type"] == nil)
        #expect(request["Expect"] == nil)
      }
    }
  }

  @Test func `a part of a file is sent`() async throws {
    let bytes = BytePattern.seeded(8).bytes(count: 300_000)
    let scratch = try Scratch(bytes)
    try await withOrigin { request in
      .ok("\(await request.body().count)")
    } _: { origin, transport in
      _ = try await transport.fetch(
        Request(.put, origin.url(), body: try .file(scratch.url, range: 100_001..<200_003)))
      #expect(origin.requests.first?.received == Array(bytes[100_001..<200_003]))
    }
  }

  @Test func `a file that shrinks under the upload never looks whole`() async throws {
    let scratch = try Scratch([UInt8](repeating: 1, count: 40_000_000))
    let body = try Body.file(scratch.url)
    let gate = OriginGate()
    try await withOrigin(.with { $0.receiveBuffer = 65_536 }) { _ in
      OriginReply(.readUpload(upTo: 1), .wait(for: gate), .readUpload(), .head(200)).beforeUpload()
    } _: { origin, transport in
      async let outcome = failure { _ = try await transport.fetch(Request(.put, origin.url(), body: body)) }
      await gate.reached()
      try LocalFileSystem().open(scratch.path, .write).truncate(to: 1000)
      gate.open()
      let error = try await outcome
      #expect(error.kind == .bodyLengthMismatch)
      #expect(error.maybeProcessed)
      await origin.until { $0.connectionsOpen == 0 }
      #expect(origin.requests.allSatisfy { !$0.isComplete })
    }
  }

  @Test func `a body is sent whole again where libcurl repeats what may be repeated`() async throws {
    let bytes = BytePattern.seeded(9).bytes(count: 100_000)
    try await withOrigin { request in
      .ok("\(await request.body().count)").idling(request.path == "/closing" ? .closeOnNextRequest : .keep)
    } _: { origin, transport in
      _ = try await transport.fetch(Request(.get, origin.url("/closing")))
      let request = Request(.put, origin.url(), body: .bytes(Data(bytes)))
      // A reset in the middle is not repeated; then there is an error, and nothing arrived.
      guard let answer = try? await transport.fetch(request) else {
        return #expect(origin.requests.count == 1)
      }
      #expect(answer.body == Data("100000".utf8))
      #expect(origin.requests.last?.received == bytes)
    }
  }

  @Test func `a POST never meets a connection that is about to close`() async throws {
    try await withOrigin { _ in
      .ok("x").idling(.closeOnNextRequest)
    } _: { origin, transport in
      for number in 0..<50 {
        _ = try await transport.fetch(Request(.get, origin.url("/get")))
        let body: Body = number % 2 == 0 ? .text("x") : .empty
        _ = try await transport.fetch(Request(.post, origin.url("/\(number)"), body: body))
      }
      let posts = origin.requests.filter { $0.method == "POST" }.map(\.path)
      #expect(posts == (0..<50).map { "/\($0)" })
    }
  }
}
