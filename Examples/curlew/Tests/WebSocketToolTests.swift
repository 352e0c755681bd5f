import CurlewCore
import CurlewTestSupport
import Foundation
import Testing

@testable import CurlewTool

/// `curlew ws` as a shell sees it; its server is a scripted origin that writes frames by hand.
@Suite struct WebSocketToolTests {
  /// Accepts a handshake, and runs code with the connection.
  private static func origin(
    _ code: @escaping @Sendable (DuplexConnection) async throws -> Void
  ) async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { request in
      OriginReply(
        .acceptWebSocket(request),
        .converse { connection in try? await code(connection) })
    }
  }

  /// Returns the content of the next frame of a client, which is short and masked.
  private static func next(_ connection: DuplexConnection, _ rest: inout [UInt8]) async throws -> (UInt8, [UInt8])? {
    while rest.count < 6 || rest.count < 6 + Int(rest[1] & 0x7F) {
      guard let bytes = try await connection.receive() else { return nil }
      rest += bytes
    }
    let count = Int(rest[1] & 0x7F)
    let content = (0..<count).map { rest[6 + $0] ^ rest[2 + $0 % 4] }
    defer { rest.removeFirst(6 + count) }
    return (rest[0] & 15, content)
  }

  @Test func `each line is sent, each message is printed, and the end of the input closes`() async throws {
    let origin = try await Self.origin { connection in
      var rest: [UInt8] = []
      while let (opcode, content) = try await Self.next(connection, &rest) {
        try await connection.send(Data([0x80 | opcode, UInt8(content.count)] + content))
        if opcode == 8 { return }
      }
    }
    let run = try await ToolRun(
      ["ws", "--close-timeout", "600", "ws://127.0.0.1:\(origin.port)/chat", "-H", "X-Bird: curlew"],
      input: Data("one\ntwo\n\nčtyři".utf8))
    #expect(run.output == "one\ntwo\n\nčtyři\n")
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(origin.requests.first?["X-Bird"] == "curlew")
    await origin.stop()
  }

  @Test func `a server that closes with an error code is a failure that tells the reason`() async throws {
    let origin = try await Self.origin { connection in
      try await connection.send(Data([0x81, 2] + "hi".utf8 + [0x88, 6, 0x0F, 0xA1] + "tide".utf8))
      while try await connection.receive() != nil {}
    }
    // The input is a pipe that the shell itself keeps open: the server's end is enough.
    let pipe = FileManager.default.temporaryDirectory.path + "/curlew-ws-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: pipe) }
    let run = try await ToolRun(
      ["ws://127.0.0.1:\(origin.port)/chat", pipe],
      script: #"mkfifo "$2" && exec 3<>"$2" && "$0" ws "$1" <"$2""#)
    #expect(run.output == "hi\n")
    #expect(run.errors.contains("The server closed with 4001: tide"))
    #expect(run.status == 1)
    await origin.stop()
  }

  @Test func `a connection that is kept open prints what arrives after the input's end`() async throws {
    let origin = try await Self.origin { connection in
      var rest: [UInt8] = []
      guard try await Self.next(connection, &rest) != nil else { return }
      for number in 0..<3 {
        // Sleeps because the input has to end before.
        try await Task.sleep(for: .milliseconds(50))
        try await connection.send(Data([0x81, 1, 0x30 + UInt8(number)]))
      }
      try await connection.send(Data([0x88, 2, 3, 232]))
      while try await connection.receive() != nil {}
    }
    let run = try await ToolRun(
      ["ws", "--keep-open", "ws://127.0.0.1:\(origin.port)/"], input: Data("subscribe\n".utf8))
    #expect(run.output == "0\n1\n2\n")
    #expect(run.status == 0)
    await origin.stop()
  }

  @Test func `a refused handshake is a failure`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .status(403, "no birds here") }
    let run = try await ToolRun(["ws", "ws://127.0.0.1:\(origin.port)/chat"])
    #expect(run.status == 1)
    #expect(run.errors.contains("403"))
    await origin.stop()
  }
}
