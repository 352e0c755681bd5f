import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewWebSocket

struct HandshakeTests {
  /// Returns a right answer to a key.
  static func answer(_ key: String) -> HTTPFields {
    var fields: HTTPFields = [.upgrade: "websocket", .connection: "Upgrade"]
    fields[.webSocketAccept] = UpgradeOffer.accept(key)
    return fields
  }

  private func agreement(
    _ offer: UpgradeOffer = UpgradeOffer(), _ change: (inout HTTPFields) -> Void
  ) -> UpgradeAgreement? {
    var fields = Self.answer("k")
    change(&fields)
    return try? offer.check(fields, key: "k")
  }

  /// RFC 6455 §1.3.
  @Test func `the answer to a key is the one of the standard's example`() {
    #expect(UpgradeOffer.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test func `a key is 16 bytes in base64, and new each time`() {
    let keys = (0..<100).map { _ in UpgradeOffer.key() }
    #expect(Set(keys).count == 100)
    for key in keys { #expect(Data(base64Encoded: key)?.count == 16) }
  }

  @Test func `a handshake has the fields of the standard`() {
    var fields: HTTPFields = [.userAgent: "test"]
    UpgradeOffer(subprotocols: ["chat", "superchat"], compression: WebSocketCompression()).apply(to: &fields, key: "k")
    #expect(fields[.upgrade] == "websocket")
    #expect(fields[.connection] == "Upgrade")
    #expect(fields[.webSocketKey] == "k")
    #expect(fields[.webSocketVersion] == "13")
    #expect(fields[.webSocketProtocol] == "chat, superchat")
    #expect(fields[.webSocketExtensions] == "permessage-deflate; client_max_window_bits")
    #expect(fields[.userAgent] == "test")
  }

  @Test func `the bytes of a field are sent as they are`() throws {
    let name = try #require(HTTPField.Name("X-Latin"))
    var request = try Request(.get, "http://a.test/")
    request.headerFields.append(HTTPField(name: name, value: [0x61, 0xE4]))
    let expected = Data("GET / HTTP/1.1\r\nHost: a.test\r\nX-Latin: a".utf8) + [0xE4] + Data("\r\n\r\n".utf8)
    #expect(try UpgradeTransport.head(of: request) == expected)
  }

  @Test func `an answer that keeps the rules is taken`() {
    #expect(agreement { _ in } == UpgradeAgreement())
    #expect(agreement { $0[.upgrade] = "WebSocket" } != nil)
    #expect(agreement { $0[.connection] = "keep-alive, upgrade" } != nil)
    let offer = UpgradeOffer(subprotocols: ["a", "b"])
    #expect(agreement(offer) { $0[.webSocketProtocol] = "b" }?.subprotocol == "b")
    // A server need not choose one (§4.2.2).
    #expect(agreement(offer) { _ in } != nil)
  }

  /// RFC 6455 §4.1, the rules for the server's answer, in their order.
  @Test func `an answer that breaks a rule ends the handshake`() {
    #expect(agreement { $0[.upgrade] = nil } == nil)
    #expect(agreement { $0[.upgrade] = "h2c" } == nil)
    #expect(agreement { $0[.upgrade] = "websocket, h2c" } == nil)
    #expect(agreement { $0[.connection] = nil } == nil)
    #expect(agreement { $0[.connection] = "close" } == nil)
    #expect(agreement { $0[.webSocketAccept] = nil } == nil)
    #expect(agreement { $0[.webSocketAccept] = UpgradeOffer.accept("another") } == nil)
    #expect(agreement { $0[.webSocketAccept] = UpgradeOffer.accept("k").lowercased() } == nil)
    #expect(agreement { $0.append(HTTPField(name: .webSocketAccept, value: UpgradeOffer.accept("k"))) } == nil)
    #expect(agreement { $0[.webSocketExtensions] = "permessage-deflate" } == nil)
    #expect(agreement { $0[.webSocketProtocol] = "chat" } == nil)
    let offer = UpgradeOffer(subprotocols: ["a", "b"])
    #expect(agreement(offer) { $0[.webSocketProtocol] = "c" } == nil)
    #expect(agreement(offer) { $0[.webSocketProtocol] = "A" } == nil)
    #expect(agreement(offer) { $0[.webSocketProtocol] = "a, b" } == nil)
    #expect(agreement(offer) { $0[values: .webSocketProtocol] = ["a", "b"] } == nil)
  }

  @Test func `a subprotocol that is no token, or is there twice, is refused before anything is sent`() {
    #expect(UpgradeOffer(subprotocols: ["chat", "v1.chat+json"]).refusal == nil)
    for wrong in [[""], ["a b"], ["a,b"], ["a", "a"], ["a\r\nb"]] {
      #expect(UpgradeOffer(subprotocols: wrong).refusal != nil, "\(wrong)")
    }
  }
}
