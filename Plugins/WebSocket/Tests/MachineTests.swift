import FoundationEssentials
import Testing

@testable import CurlewWebSocket

/// The life of a connection: pings, closing from either side, violations (RFC 6455 §5.5, §7).
struct MachineTests {
  private func machine(
    _ role: WebSocketRole = .client, _ agreed: DeflateParameters? = nil,
    _ compression: WebSocketCompression = WebSocketCompression()
  ) throws -> WebSocketMachine { try WebSocketMachine(role, WebSocketLimits(), agreed, compression) }

  /// Checks a condition; the macro would copy a machine, which cannot be copied.
  private func expect(_ isTrue: Bool, _ comment: Comment? = nil, at place: SourceLocation = #_sourceLocation) {
    #expect(isTrue, comment, sourceLocation: place)
  }

  private func sent(_ machine: inout WebSocketMachine) throws -> [MessageReader.Event] {
    try Reading(machine.takeOutput(), role: .server).events
  }

  private func receive(_ machine: inout WebSocketMachine, _ frames: RawFrame...) -> [WebSocketMachine.Event] {
    frames.flatMap(\.bytes).withUnsafeBytes { machine.receive($0) }
  }

  @Test func `a ping is answered with its payload`() throws {
    var machine = try machine()
    expect(receive(&machine, RawFrame(9, [UInt8]("here?"))) == [])
    expect(try sent(&machine) == [.pong([UInt8]("here?"))])
    expect(!machine.hasOutput)
  }

  @Test func `the newest of several pings is answered`() throws {
    var machine = try machine()
    _ = receive(&machine, RawFrame(9, [1]), RawFrame(9, [2]), RawFrame(9, [3]))
    expect(try sent(&machine) == [.pong([3])])
  }

  @Test func `a close frame of the peer is answered with its code, and ends everything`() throws {
    var machine = try machine()
    let events = receive(&machine, RawFrame(9, [1]), RawFrame(8, [3, 233] + [UInt8]("down")), RawFrame(1, [0x61]))
    expect(events == [.closed(WebSocketClosure(.goingAway, reason: "down"))])
    expect(try sent(&machine) == [.close(WebSocketClosure(.goingAway, reason: "down"))])
    expect(machine.phase == .over)
    var canSend = machine.send(.text("late"))
    expect(!canSend)
    canSend = machine.ping([])
    expect(!canSend)
    canSend = machine.close(nil)
    expect(!canSend)
    expect(receive(&machine, RawFrame(1, [0x61])) == [])
    expect(!machine.hasOutput)
  }

  @Test func `a close frame without a code is answered without one`() throws {
    var machine = try machine()
    expect(receive(&machine, RawFrame(8)) == [.closed(WebSocketClosure(.noCode))])
    expect(try sent(&machine) == [.close(WebSocketClosure(.noCode))])
  }

  @Test func `a close frame of this side is the last that it sends, and messages still arrive before the answer`()
    throws
  {
    var machine = try machine()
    var isSent = machine.close(WebSocketClosure(.normal, reason: "done"))
    expect(isSent)
    expect(machine.phase == .closing)
    isSent = machine.send(.text("late"))
    expect(!isSent)
    isSent = machine.close(nil)
    expect(!isSent)
    expect(try sent(&machine) == [.close(WebSocketClosure(.normal, reason: "done"))])
    expect(receive(&machine, RawFrame(1, [0x61]), RawFrame(9)) == [.message(.text("a"))])
    expect(!machine.hasOutput, "no pong follows a close frame")
    expect(receive(&machine, RawFrame(8, [3, 232])) == [.closed(WebSocketClosure(.normal))])
    expect(!machine.hasOutput, "a close frame is sent once")
    expect(machine.phase == .over)
  }

  @Test func `a violation is told to the peer with its code, after the messages before it`() throws {
    var machine = try machine()
    let events = receive(&machine, RawFrame(1, [0x61]), RawFrame(1, [0xFF]), RawFrame(1, [0x62]))
    expect(events.count == 2)
    expect(events.first == .message(.text("a")))
    guard case .failed(let violation) = events.last else {
      Issue.record("no violation")
      return
    }
    expect(violation.code == .invalidPayload)
    expect(try sent(&machine) == [.close(WebSocketClosure(.invalidPayload))])
    expect(receive(&machine, RawFrame(1, [0x62])) == [])
  }

  @Test func `a pong is told with its payload, asked for or not`() throws {
    var machine = try machine()
    expect(receive(&machine, RawFrame(10, [7])) == [.pong([7])])
    let isSent = machine.ping([8])
    expect(isSent)
    expect(try sent(&machine) == [.ping([8])])
  }

  @Test func `two machines understand each other, with every kind of compression`() throws {
    var none: [DeflateParameters?] = [nil]
    for server in [true, false] {
      for client in [true, false] {
        for bits in [8, 9, 15] {
          none.append(
            DeflateParameters(
              server: .init(windowBits: bits, keepsContext: server),
              client: .init(windowBits: bits, keepsContext: client)))
        }
      }
    }
    for agreed in none {
      var compression = WebSocketCompression()
      compression.leastBytes = 1
      var client = try machine(.client, agreed, compression)
      var server = try machine(.server, agreed, compression)
      let messages: [WebSocketMessage] = [
        .text("curlew"), .text(""), .binary(Data()), .text(String(repeating: "whimbrel ", count: 20_000)),
        .binary(Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })), .text("curlew"),
      ]
      for _ in 0..<3 {
        for message in messages {
          var isSent = client.send(message)
          expect(isSent)
          expect(client.takeOutput().withUnsafeBytes { server.receive($0) } == [.message(message)])
          isSent = server.send(message)
          expect(isSent)
          expect(server.takeOutput().withUnsafeBytes { client.receive($0) } == [.message(message)])
        }
      }
    }
  }

  @Test func `a message is compressed from the least size on`() throws {
    var compression = WebSocketCompression()
    compression.leastBytes = 10
    var machine = try machine(.client, DeflateParameters(), compression)
    _ = machine.send(.text(String(repeating: "a", count: 9)))
    expect(machine.takeOutput()[0] == 0x81)
    _ = machine.send(.text(String(repeating: "a", count: 10)))
    expect(machine.takeOutput()[0] == 0xC1)
  }
}
