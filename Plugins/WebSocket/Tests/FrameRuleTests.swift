import FoundationEssentials
import Testing

@testable import CurlewWebSocket

/// Frames that break a rule of RFC 6455 §5, each with the rule and the code that tells the peer.
struct FrameRuleTests {
  struct Breach: Sendable, CustomStringConvertible {
    let description: String
    let bytes: [UInt8]
    let code: WebSocketCloseCode
    var role = WebSocketRole.client
    var compression: DeflateParameters?
  }

  private static let key: [UInt8] = [1, 2, 3, 4]

  static let breaches: [Breach] =
    [
      Breach(description: "§5.2 RSV1 without an extension", bytes: RawFrame(1, rsv: 4).bytes, code: .protocolError),
      Breach(description: "§5.2 RSV2", bytes: RawFrame(1, rsv: 2).bytes, code: .protocolError),
      Breach(description: "§5.2 RSV3", bytes: RawFrame(2, rsv: 1).bytes, code: .protocolError),
      Breach(
        description: "RFC 7692 §6.1 RSV1 on a control frame", bytes: RawFrame(9, rsv: 4).bytes, code: .protocolError,
        compression: DeflateParameters()),
      Breach(
        description: "RFC 7692 §6.1 RSV1 on a continuation",
        bytes: RawFrame(1, [0x61], fin: false).bytes + RawFrame(0, [0x62], rsv: 4).bytes, code: .protocolError,
        compression: DeflateParameters()),
      Breach(description: "§5.1 a masked frame of a server", bytes: RawFrame(1, mask: key).bytes, code: .protocolError),
      Breach(
        description: "§5.1 an unmasked frame of a client", bytes: RawFrame(1).bytes, code: .protocolError, role: .server
      ),
      Breach(
        description: "§5.2 a length of 125 in two bytes",
        bytes: RawFrame(2, [UInt8](repeating: 0, count: 125), lengthBytes: [126, 0, 125]).bytes, code: .protocolError),
      Breach(
        description: "§5.2 a length of 65,535 in eight bytes",
        bytes: RawFrame(2, [], lengthBytes: [127, 0, 0, 0, 0, 0, 0, 255, 255]).bytes, code: .protocolError),
      Breach(
        description: "§5.2 a length with its highest bit",
        bytes: RawFrame(2, [], lengthBytes: [127, 128, 0, 0, 0, 0, 0, 0, 0]).bytes, code: .protocolError),
      Breach(
        description: "§5.5 a control frame of 126 bytes",
        bytes: RawFrame(9, [UInt8](repeating: 0, count: 126)).bytes, code: .protocolError),
      Breach(description: "§5.5 a fragmented ping", bytes: RawFrame(9, fin: false).bytes, code: .protocolError),
      Breach(description: "§5.5 a fragmented close", bytes: RawFrame(8, fin: false).bytes, code: .protocolError),
      Breach(description: "§5.4 a continuation of nothing", bytes: RawFrame(0, [0x61]).bytes, code: .protocolError),
      Breach(
        description: "§5.4 a message within a message",
        bytes: RawFrame(1, [0x61], fin: false).bytes + RawFrame(2, [0x61]).bytes, code: .protocolError),
      Breach(
        description: "§5.4 a continuation after the last frame",
        bytes: RawFrame(1, [0x61], fin: false).bytes + RawFrame(0).bytes + RawFrame(0).bytes, code: .protocolError),
      Breach(description: "§5.6 a text that is not UTF-8", bytes: RawFrame(1, [0xFF]).bytes, code: .invalidPayload),
      Breach(
        description: "§5.6 a text that ends in a character", bytes: RawFrame(1, [0xE2, 0x82]).bytes,
        code: .invalidPayload),
      Breach(
        description: "§8.1 an overlong form in two frames",
        bytes: RawFrame(1, [0xE0], fin: false).bytes + RawFrame(0, [0x80]).bytes, code: .invalidPayload),
      Breach(description: "§5.5.1 a close frame with half a code", bytes: RawFrame(8, [3]).bytes, code: .protocolError),
      Breach(
        description: "§5.5.1 a reason that is not UTF-8", bytes: RawFrame(8, [3, 232, 0xC0]).bytes,
        code: .invalidPayload),
      Breach(
        description: "§5.5.1 a reason that ends in a character", bytes: RawFrame(8, [3, 232, 0xC3]).bytes,
        code: .invalidPayload),
    ]
    + [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map { opcode in
      Breach(description: "§5.2 the opcode \(opcode)", bytes: RawFrame(opcode).bytes, code: .protocolError)
    }
    + [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map { code in
      Breach(
        description: "§7.4 the close code \(code)", bytes: RawFrame(8, [UInt8(code >> 8), UInt8(code & 255)]).bytes,
        code: .protocolError)
    }

  @Test(arguments: breaches) func `a frame that breaks a rule ends the connection with the code of the rule`(
    _ breach: Breach
  ) throws {
    let whole = try Reading(breach.bytes, role: breach.role, compression: breach.compression)
    #expect(whole.violation?.code == breach.code)
    // The answer does not depend on how the bytes arrive.
    for place in 0...breach.bytes.count {
      let cut = try Reading(breach.bytes, cutAt: [place], role: breach.role, compression: breach.compression)
      #expect(cut == whole, "cut at \(place)")
    }
    let single = try Reading(
      breach.bytes, cutAt: Array(0..<breach.bytes.count), role: breach.role, compression: breach.compression)
    #expect(single == whole)
  }

  @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])
  func `a close code that may be sent is taken`(_ code: UInt16) throws {
    let reading = try Reading(RawFrame(8, [UInt8(code >> 8), UInt8(code & 255)] + [UInt8]("bye")).bytes)
    #expect(reading.violation == nil)
    #expect(reading.events == [.close(WebSocketClosure(WebSocketCloseCode(rawValue: code), reason: "bye"))])
  }

  @Test func `a wrong byte of a text is noticed before the rest of its frame arrives`() throws {
    let bytes = RawFrame(1, [0x61, 0xFF] + [UInt8](repeating: 0x62, count: 100)).bytes
    #expect(try Reading(Array(bytes[..<4])).violation?.code == .invalidPayload)
    #expect(try Reading(Array(bytes[..<3])).violation == nil)
  }

  @Test func `a header that breaks a rule is noticed before its payload arrives`() throws {
    var limits = WebSocketLimits()
    limits.frameBytes = 1000
    let bytes = RawFrame(2, [UInt8](repeating: 0, count: 1001)).bytes
    #expect(try Reading(Array(bytes[..<4]), limits: limits).violation?.code == .messageTooLarge)
    #expect(try Reading(Array(bytes[..<3]), limits: limits).violation == nil)
    #expect(try Reading([0xB1]).violation == nil)
    #expect(try Reading([0xB1, 0x00]).violation?.code == .protocolError)
  }

  @Test func `a message that exceeds a limit ends the connection with 1009`() throws {
    var limits = WebSocketLimits()
    limits.messageBytes = 10
    limits.framesPerMessage = 3
    let five = [UInt8](repeating: 0x61, count: 5)
    let full = RawFrame(1, five, fin: false).bytes + RawFrame(0, five).bytes
    #expect(try Reading(full, limits: limits).events == [.message(.text("aaaaaaaaaa"))])
    let over = RawFrame(1, five, fin: false).bytes + RawFrame(0, five + [0x61]).bytes
    #expect(try Reading(over, limits: limits).violation?.code == .messageTooLarge)
    let many = RawFrame(1, fin: false).bytes + RawFrame(0, fin: false).bytes + RawFrame(0, fin: false).bytes
    #expect(try Reading(many, limits: limits).violation == nil)
    #expect(try Reading(many + RawFrame(0).bytes, limits: limits).violation?.code == .messageTooLarge)
    // The limit is that of one message.
    #expect(try Reading(full + full, limits: limits).events.count == 2)
  }

  @Test func `a close frame ends the reading`() throws {
    let reading = try Reading(RawFrame(8).bytes + RawFrame(1, [0x61]).bytes + [0xFF, 0xFF])
    #expect(reading.violation == nil)
    #expect(reading.events == [.close(WebSocketClosure(.noCode))])
  }
}
