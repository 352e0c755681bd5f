import FoundationEssentials
import Testing

@testable import CurlewWebSocket

/// Messages and control frames that are right, cut at every byte, and changed at random.
struct ReadingTests {
  private static let key: [UInt8] = [0xA1, 0x02, 0xF3, 0x44]

  /// The examples of RFC 6455 §5.7.
  @Test func `an example of the standard is read as the standard says`() throws {
    let hello = MessageReader.Event.message(.text("Hello"))
    #expect(try Reading([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]).events == [hello])
    #expect(
      try Reading(
        [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], role: .server
      ).events == [hello])
    #expect(try Reading([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]).events == [hello])
    #expect(try Reading([0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]).events == [.ping([UInt8]("Hello"))])
    #expect(
      try Reading([0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], role: .server).events
        == [.pong([UInt8]("Hello"))])
    for count in [256, 65_536] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      #expect(try Reading(RawFrame(2, bytes).bytes).events == [.message(.binary(Data(bytes)))])
    }
  }

  /// A conversation with everything that may occur, and what it means.
  private static func conversation(mask: [UInt8]?) -> (bytes: [UInt8], events: [MessageReader.Event]) {
    let long = [UInt8](repeating: 0x7A, count: 300)
    let frames: [RawFrame] = [
      RawFrame(1, [UInt8]("čurlew €𝄞"), mask: mask),
      RawFrame(2, [0, 255, 128], mask: mask),
      RawFrame(1, [0xE2], fin: false, mask: mask),
      RawFrame(9, [UInt8]("p"), mask: mask),
      RawFrame(0, [0x82], fin: false, mask: mask),
      RawFrame(0, [], fin: false, mask: mask),
      RawFrame(10, [], mask: mask),
      RawFrame(0, [0xAC], mask: mask),
      RawFrame(1, [], mask: mask),
      RawFrame(2, long, mask: mask),
      RawFrame(8, [0x0F, 0xA0] + [UInt8]("ende"), mask: mask),
    ]
    return (
      frames.flatMap(\.bytes),
      [
        .message(.text("čurlew €𝄞")), .message(.binary(Data([0, 255, 128]))), .ping([UInt8]("p")), .pong([]),
        .message(.text("€")), .message(.text("")), .message(.binary(Data(long))),
        .close(WebSocketClosure(WebSocketCloseCode(rawValue: 4000), reason: "ende")),
      ]
    )
  }

  @Test(arguments: [WebSocketRole.client, .server])
  func `a conversation is read alike wherever it is cut`(_ role: WebSocketRole) throws {
    let (bytes, events) = Self.conversation(mask: role == .server ? Self.key : nil)
    #expect(try Reading(bytes, role: role).events == events)
    for first in 0...bytes.count {
      #expect(try Reading(bytes, cutAt: [first], role: role).events == events, "cut at \(first)")
    }
    #expect(try Reading(bytes, cutAt: Array(0..<bytes.count), role: role).events == events)
    var generator = SeededGenerator(state: 39)
    for _ in 0..<500 {
      let places = (0..<Int.random(in: 2...40, using: &generator)).map { _ in
        Int.random(in: 0...bytes.count, using: &generator)
      }
      #expect(try Reading(bytes, cutAt: places.sorted(), role: role).events == events)
    }
  }

  @Test func `a conversation that is cut off has the events before the cut, and no violation`() throws {
    let (bytes, events) = Self.conversation(mask: nil)
    for end in 0...bytes.count {
      let reading = try Reading(Array(bytes[..<end]))
      #expect(reading.violation == nil)
      #expect(reading.events == Array(events.prefix(reading.events.count)))
    }
  }

  /// 10,000 conversations with changed, removed and added bytes: no trap, no endless loop, no limit exceeded, and the same answer however
  /// they are cut.
  @Test(arguments: [false, true])
  func `a conversation that was changed at random is refused or read, alike wherever it is cut`(
    _ compresses: Bool
  ) throws {
    var limits = WebSocketLimits()
    limits.messageBytes = 4096
    limits.frameBytes = 2048
    let parameters = compresses ? DeflateParameters() : nil
    var original = Self.conversation(mask: nil).bytes
    if compresses {
      let deflater = try #require(MessageDeflater(DeflateParameters.Direction(), level: 6))
      let texts = ["curlew curlew curlew", String(repeating: "whimbrel ", count: 100), "godwit"]
      original =
        texts.flatMap { text in
          RawFrame(1, [UInt8](text).withUnsafeBytes { deflater.deflate($0) }, rsv: 4).bytes
        } + original
    }
    var generator = SeededGenerator(state: 6455)
    var (refused, read) = (0, 0)
    for _ in 0..<5000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        }
      }
      let whole = try Reading(bytes, limits: limits, compression: parameters)
      let places = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
      #expect(try Reading(bytes, cutAt: places, limits: limits, compression: parameters) == whole)
      for case .message(let message) in whole.events { #expect(message.count <= limits.messageBytes) }
      if whole.violation == nil { read += 1 } else { refused += 1 }
    }
    #expect(refused > 500 && read > 500, "the changes reach both: \(refused) refused, \(read) read")
  }

  @Test func `messages that are received one behind the other take no more room, however many there are`() {
    var unread = UnreadMessages()
    for number in 0..<7 { unread.append(.text("\(number)")) }
    for number in 0..<10_000 {
      unread.append(.text("\(number + 7)"))
      #expect(unread.removeFirst() == .text("\(number)"))
      #expect(unread.places <= 16)
    }
    for number in 10_000..<10_007 { #expect(unread.removeFirst() == .text("\(number)")) }
    #expect(unread.removeFirst() == nil && unread.isEmpty && unread.bytes == 0 && unread.places == 0)
    unread.append(.binary(Data()))
    #expect(unread.bytes == 1)
  }
}
