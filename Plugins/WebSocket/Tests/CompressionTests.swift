import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewWebSocket

struct CompressionTests {
  private func event(_ payload: [UInt8], _ parameters: DeflateParameters = DeflateParameters()) throws -> Reading {
    try Reading(RawFrame(1, payload, rsv: 4).bytes, compression: parameters)
  }

  /// The examples of RFC 7692 §7.2.3.
  @Test func `an example of the standard is read as the standard says`() throws {
    let hello = [MessageReader.Event.message(.text("Hello"))]
    // §7.2.3.1: one block, whole and in two fragments.
    #expect(try event([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]).events == hello)
    let fragments =
      RawFrame(1, [0xF2, 0x48, 0xCD], fin: false, rsv: 4).bytes + RawFrame(0, [0xC9, 0xC9, 0x07, 0x00]).bytes
    #expect(try Reading(fragments, compression: DeflateParameters()).events == hello)
    // §7.2.3.2: the second message refers to the first one.
    let first = RawFrame(1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], rsv: 4).bytes
    let second = RawFrame(1, [0xF2, 0x00, 0x11, 0x00, 0x00], rsv: 4).bytes
    #expect(try Reading(first + second, compression: DeflateParameters()).events == hello + hello)
    var parameters = DeflateParameters()
    parameters.server.keepsContext = false
    #expect(try Reading(first + second, compression: parameters).violation?.code == .invalidPayload)
    // §7.2.3.3: a block without compression. §7.2.3.4: a block that is marked as the last.
    #expect(try event([0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]).events == hello)
    #expect(try event([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]).events == hello)
    // §7.2.3.5: two blocks. §7.2.3.6: an empty message.
    #expect(try event([0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]).events == hello)
    #expect(try event([0x00]).events == [.message(.text(""))])
  }

  @Test func `the window stays over a block that is marked as the last`() throws {
    let last = RawFrame(1, [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], rsv: 4).bytes
    let second = RawFrame(1, [0xF2, 0x00, 0x11, 0x00, 0x00], rsv: 4).bytes
    let hello = MessageReader.Event.message(.text("Hello"))
    #expect(try Reading(last + second, compression: DeflateParameters()).events == [hello, hello])
  }

  @Test func `a message may be uncompressed although compression was agreed`() throws {
    let reading = try Reading(RawFrame(1, [UInt8]("plain")).bytes, compression: DeflateParameters())
    #expect(reading.events == [.message(.text("plain"))])
  }

  @Test func `a message that expands beyond the limit is refused at the limit`() throws {
    let deflater = try #require(MessageDeflater(DeflateParameters.Direction(), level: 9))
    var limits = WebSocketLimits()
    limits.messageBytes = 100_000
    let zeros = [UInt8](repeating: 0, count: 50_000_000)
    let bomb = zeros.withUnsafeBytes { deflater.deflate($0) }
    #expect(bomb.count < 60_000)
    let bytes = RawFrame(2, bomb, rsv: 4).bytes
    #expect(try Reading(bytes, limits: limits, compression: DeflateParameters()).violation?.code == .messageTooLarge)
    // Exactly the limit is allowed.
    let fresh = try #require(MessageDeflater(DeflateParameters.Direction(), level: 9))
    let exact = [UInt8](repeating: 7, count: 100_000).withUnsafeBytes { fresh.deflate($0) }
    let allowed = try Reading(RawFrame(2, exact, rsv: 4).bytes, limits: limits, compression: DeflateParameters())
    #expect(allowed.events == [.message(.binary(Data(repeating: 7, count: 100_000)))])
  }

  @Test func `the greatest limit is a limit as any other`() throws {
    var limits = WebSocketLimits()
    (limits.messageBytes, limits.frameBytes) = (.max, .max)
    (limits.framesPerMessage, limits.bufferedBytes) = (.max, .max)
    let bytes = RawFrame(1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], rsv: 4).bytes
    let reading = try Reading(bytes, limits: limits, compression: DeflateParameters())
    #expect(reading.events == [.message(.text("Hello"))])
  }

  @Test func `a message of blocks that each end it is refused soon`() throws {
    // Two bytes, which expand to nothing and are marked as the last block.
    func message(_ ends: Int) throws -> Reading { try event((0..<ends).flatMap { _ in [0x03, 0x00] as [UInt8] }) }
    #expect(try message(4_096).events == [.message(.text(""))])
    #expect(try message(4_097).violation?.code == .messageTooLarge)
  }

  @Test(arguments: [8, 9, 10, 12, 15], [true, false])
  func `a message that one side compresses is read by the other`(_ bits: Int, _ keeps: Bool) throws {
    let direction = DeflateParameters.Direction(windowBits: bits, keepsContext: keeps)
    guard let deflater = MessageDeflater(direction, level: 6) else {
      #expect(bits == 8, "zlib writes no window of 8 bits")
      return
    }
    var generator = SeededGenerator(state: UInt64(bits))
    var (bytes, expected): ([UInt8], [MessageReader.Event]) = ([], [])
    for _ in 0..<100 {
      let words = ["curlew", "whimbrel", "godwit", "snipe", "dunlin"]
      let text = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
        words[Int.random(in: 0..<words.count, using: &generator)]
      }.joined(separator: " ")
      bytes += RawFrame(1, [UInt8](text).withUnsafeBytes { deflater.deflate($0) }, rsv: 4).bytes
      expected.append(.message(.text(text)))
    }
    let reading = try Reading(bytes, compression: DeflateParameters(server: direction))
    #expect(reading.violation == nil)
    #expect(reading.events == expected)
    // A window that is too small for the sender's is noticed, not guessed.
    if bits == 15, keeps {
      let small = DeflateParameters(server: .init(windowBits: 9, keepsContext: true))
      #expect(try Reading(bytes, compression: small).violation?.code == .invalidPayload)
    }
  }

  // MARK: The negotiation (RFC 7692 §7.1)

  private func parameters(
    _ answer: String, _ change: (inout WebSocketCompression) -> Void = { _ in }
  ) -> DeflateParameters? {
    var compression = WebSocketCompression()
    change(&compression)
    let offer = UpgradeOffer(compression: compression)
    var fields = HandshakeTests.answer("k")
    fields[.webSocketExtensions] = answer
    return try? offer.check(fields, key: "k").compression
  }

  @Test func `an offer names what differs from the default`() {
    #expect(DeflateParameters.offer(WebSocketCompression()).text == "permessage-deflate; client_max_window_bits")
    var compression = WebSocketCompression()
    compression.clientWindowBits = 10
    compression.serverWindowBits = 11
    compression.serverKeepsContext = false
    compression.clientKeepsContext = false
    #expect(
      DeflateParameters.offer(compression).text
        == "permessage-deflate; client_max_window_bits=10; server_max_window_bits=11; server_no_context_takeover; "
        + "client_no_context_takeover")
  }

  @Test func `an answer is taken with its parameters`() {
    #expect(parameters("permessage-deflate") == DeflateParameters())
    let all =
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10; client_max_window_bits=\"9\""
    #expect(
      parameters(all)
        == DeflateParameters(
          server: .init(windowBits: 10, keepsContext: false), client: .init(windowBits: 9, keepsContext: false)))
    #expect(parameters("Permessage-Deflate;client_max_window_bits=8")?.client.windowBits == 8)
    // What the client allows itself holds although the server does not repeat it.
    #expect(parameters("permessage-deflate") { $0.clientWindowBits = 11 }?.client.windowBits == 11)
    #expect(parameters("permessage-deflate") { $0.clientKeepsContext = false }?.client.keepsContext == false)
  }

  @Test(arguments: [
    "permessage-deflate; unknown", "permessage-deflate; server_max_window_bits",
    "permessage-deflate; server_max_window_bits=7",
    "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=08",
    "permessage-deflate; server_max_window_bits=a", "permessage-deflate; client_max_window_bits",
    "permessage-deflate; client_max_window_bits=16", "permessage-deflate; server_no_context_takeover=1",
    "permessage-deflate; client_no_context_takeover=",
    "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
    "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10",
    "permessage-deflate, permessage-deflate",
    "x-webkit-deflate-frame", "permessage-deflate; ; client_no_context_takeover", "permessage-deflate;",
    "; permessage-deflate",
    "permessage deflate",
  ])
  func `an answer that breaks a rule ends the handshake`(_ answer: String) {
    #expect(parameters(answer) == nil)
  }

  @Test func `an answer that grants less than was asked for ends the handshake`() {
    #expect(parameters("permessage-deflate") { $0.serverWindowBits = 10 } == nil)
    #expect(parameters("permessage-deflate; server_max_window_bits=11") { $0.serverWindowBits = 10 } == nil)
    #expect(parameters("permessage-deflate; server_max_window_bits=9") { $0.serverWindowBits = 10 } != nil)
    #expect(parameters("permessage-deflate") { $0.serverKeepsContext = false } == nil)
    #expect(parameters("permessage-deflate; server_no_context_takeover") { $0.serverKeepsContext = false } != nil)
  }
}
