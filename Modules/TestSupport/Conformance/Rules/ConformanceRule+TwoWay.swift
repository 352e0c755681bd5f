import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for the bytes of a `DuplexTransport`'s connections, and for their end.
  static let twoWayRules: [ConformanceRule] = [
    .twoWaySendsNothing, .twoWayAfterUpgrade, .twoWayInOrder, .twoWayAtOnce, .twoWayReaderHoldsServer,
    .twoWaySenderWaits, .twoWayEndAfterBytes, .twoWayHalfClosed, .twoWayCloseSendsAll, .twoWayResetIsLost,
    .twoWayTruncationIsLost, .twoWayCancelled, .twoWayReleased, .twoWayTaskCancelled, .twoWayShutDown,
  ]
}

extension ConformanceRule {
  // The kernel's buffers on both sides.
  private static let mostAhead: Int64 = 24 << 20
  private static let size: Int64 = 48 << 20

  package static let twoWaySendsNothing = twoWay(
    "two-way-sends-nothing", "connecting sends nothing of the request; the first byte is the caller's",
    because: "The caller writes its own head, and a second one would be taken for a part of it."
  ) { kit in
    let place = kit.serve(echo)
    let connection = try await kit.connect(
      Request(.post, place.url("?secret=1"), headerFields: [.cookie: "secret=1"], body: .text("secret")))
    // Time in which the transport could send something.
    _ = try await kit.fetch(kit.serve())
    try kit.expect(place.requests.isEmpty, "the server got a request that nobody wrote")
    let head = kit.upgradeHead(place)
    _ = try await kit.upgrade(connection, with: head)
    try kit.expectEqual(place.requests.map { String(decoding: $0.rawHead, as: UTF8.self) }, [head], "the heads")
    connection.cancel()
  }

  package static let twoWayAfterUpgrade = twoWay(
    "two-way-after-upgrade", "after 101 Switching Protocols all bytes are the new protocol's, whatever they look like",
    source: "RFC 9110 §15.2.2",
    because: "A new protocol may send what looks like HTTP, or like nothing."
  ) { kit in
    let bytes =
      Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\r\n0\r\n\r\n".utf8) + Data((0...255).map { UInt8($0) })
    let place = kit.serve(
      .upgrade { connection in
        try? await connection.send(bytes)
        connection.close()
      })
    let (connection, start) = try await kit.upgrade(place)
    try kit.expectEqual(try await kit.receiveAll(connection, after: start), bytes, "the bytes behind the head")
  }

  package static let twoWayInOrder = twoWay(
    "two-way-in-order", "bytes arrive whole and in order at both ends, in pieces of any size",
    because: "A protocol's frames are cut anywhere, and mean nothing in another order."
  ) { kit in
    let (connection, _) = try await kit.upgrade(kit.serve(echo))
    for size in [1, 2, 100, 16_384, 70_000, 1_000_000] {
      let bytes = Data(BytePattern.seeded(UInt64(size)).bytes(count: size))
      let sending = Task { try await connection.send(bytes) }
      let echoed = try await kit.receive(size, from: connection)
      try kit.expect(echoed == bytes, "\(size) bytes came back changed")
      try await sending.value
    }
    connection.cancel()
  }

  package static let twoWayAtOnce = twoWay(
    "two-way-at-once", "both ends can send at once, and neither waits for the other to finish",
    because: "A protocol with messages in both directions would stand still."
  ) { kit in
    let count = 8 << 20
    let seen = Watched<Bool?>(nil)
    let place = kit.serve(
      .upgrade { connection in
        async let sending: Void = pour(2, count, into: connection)
        let isSame = (try? await drains(1, count, from: connection)) ?? false
        try? await sending
        seen.update { $0 = isSame }
      })
    let (connection, start) = try await kit.upgrade(place)
    async let sending: Void = pour(1, count, into: connection)
    let isSame = try await ConformanceWaits.waiting(for: { "\(count) bytes of the server" }) {
      try await drains(2, count, from: connection, after: start)
    }
    try kit.expect(isSame, "the server's bytes arrived changed")
    try await sending
    try await ConformanceWaits.waiting(for: { "the server to get \(count) bytes" }) {
      try await seen.wait { $0 != nil }
    }
    try kit.expectEqual(seen.current, true, "whether the server got the bytes unchanged")
    connection.cancel()
  }

  package static let twoWayReaderHoldsServer = twoWay(
    "two-way-reader-holds-server", "a reader that waits stops the server, and later gets the rest in order",
    because: "Bytes that nobody reads must not fill the memory of the process.", capabilities: .backpressure
  ) { kit in
    let sent = Watched<Int64>(0)
    let place = kit.serve(
      .upgrade { connection in
        try? await pour(3, Int(size), into: connection) { count in sent.update { $0 += Int64(count) } }
        connection.close()
      })
    let (connection, start) = try await kit.upgrade(place)
    for _ in 0..<2 { try await kit.spendWork() }
    try kit.expect(sent.current <= mostAhead, "\(sent.current) bytes were taken from the server")
    let isSame = try await drains(3, Int(size), from: connection, after: start)
    try kit.expect(isSame, "the bytes arrived changed")
  }

  package static let twoWaySenderWaits = twoWay(
    "two-way-sender-waits", "sending waits while the server does not read, and goes on when it does",
    because: "A sender that never waits fills the memory with what the server does not read.",
    capabilities: .backpressure
  ) { kit in
    let gate = OriginGate()
    let seen = Watched<Bool?>(nil)
    let place = kit.serve(
      .upgrade { connection in
        await Awaiting.oneCall { gate.arrive($0) }
        let isSame = (try? await drains(4, Int(size), from: connection)) ?? false
        seen.update { $0 = isSame }
      })
    let (connection, _) = try await kit.upgrade(place)
    let sent = Watched<Int64>(0)
    let sending = Task {
      try await pour(4, Int(size), into: connection) { count in sent.update { $0 += Int64(count) } }
    }
    await gate.reached()
    for _ in 0..<2 { try await kit.spendWork() }
    try kit.expect(sent.current <= mostAhead, "\(sent.current) bytes were taken from the sender")
    try kit.expect(connection.unsentBytes <= 1 << 20, "\(connection.unsentBytes) bytes wait in memory")
    gate.open()
    try await ConformanceWaits.waiting(for: { "the sender to finish" }) { try await sending.value }
    try await ConformanceWaits.waiting(for: { "the server to get all bytes" }) { try await seen.wait { $0 != nil } }
    try kit.expectEqual(seen.current, true, "whether the server got the bytes unchanged")
    connection.cancel()
  }

  package static let twoWayEndAfterBytes = twoWay(
    "two-way-end-after-bytes", "the end comes once, after all bytes, and stays",
    because: "The last message before a server's end is often the one that says why."
  ) { kit in
    let bytes = Data(BytePattern.seeded(5).bytes(count: 100_000))
    let place = kit.serve(
      .upgrade { connection in
        try? await connection.send(bytes)
        connection.close()
      })
    let (connection, start) = try await kit.upgrade(place)
    try kit.expect(
      try await kit.receiveAll(connection, after: start) == bytes, "the bytes before the end are not all there")
    for _ in 0..<3 { try kit.expectEqual(try await connection.receive(), nil, "what comes after the end") }
  }

  package static let twoWayHalfClosed = twoWay(
    "two-way-half-closed", "bytes can be sent after the server has ended its own direction",
    source: "RFC 9293 §3.6, DuplexChannel",
    because: "A server may have said all, and still read.", features: .sockets
  ) { kit in
    let (connection, start) = try await kit.upgrade(
      kit.serve(ConformanceAnswer(101, framing: .own, ending: .halfClosed)))
    try kit.expectEqual(try await kit.receiveAll(connection, after: start), Data(), "what the server sent")
    for _ in 0..<20 { try await connection.send(Data(count: 65_536)) }
    connection.close()
  }

  package static let twoWayCloseSendsAll = twoWay(
    "two-way-close-sends-all", "closing sends what was written before, and then ends the connection",
    because: "A message that was written must not be lost by closing behind it."
  ) { kit in
    let count = 3_000_000
    let seen = Watched<(isSame: Bool, isEnded: Bool)?>(nil)
    let place = kit.serve(
      .upgrade { connection in
        let isSame = (try? await drains(6, count, from: connection)) ?? false
        let isEnded: Bool
        do { isEnded = try await connection.receive() == nil } catch { isEnded = false }
        seen.update { $0 = (isSame, isEnded) }
      })
    let (connection, _) = try await kit.upgrade(place)
    let round = RoundBytes(6).bytes
    for start in stride(from: 0, to: count, by: round.count) { try connection.write(round.prefix(count - start)) }
    connection.close()
    try await ConformanceWaits.waiting(for: { "the server to see the end" }) { try await seen.wait { $0 != nil } }
    try kit.expectEqual(seen.current?.isSame, true, "whether the server got the bytes unchanged")
    try kit.expectEqual(seen.current?.isEnded, true, "whether the end followed")
    try await kit.expectError(.connectionLost, "writing to a closed connection") { try connection.write(Data([1])) }
  }

  package static let twoWayResetIsLost = twoWay(
    "two-way-reset-is-lost", "a connection that is reset ends in connectionLost, for the reader and the writer",
    because: "A lost connection must not be taken for the server's end.", features: .resets
  ) { kit in
    let place = kit.serve(ConformanceAnswer(ending: .resetBeforeHead))
    let connection = try await kit.connect(Request(.get, place.url()))
    try await connection.send(Data(kit.upgradeHead(place).utf8))
    let error = try await kit.expectError(.connectionLost, "receiving") {
      _ = try await kit.receiveAll(connection, after: Data())
    }
    try kit.expect(error.maybeProcessed, "the error says that the server has certainly seen nothing")
    try await kit.expectError(.connectionLost, "sending") { try await connection.send(Data([1])) }
  }

  package static let twoWayTruncationIsLost = twoWay(
    "two-way-truncation-is-lost", "over TLS, an end that the server has not announced ends in connectionLost",
    source: "RFC 8446 §6.1",
    because: "Whoever is in between can cut a connection, but cannot announce its end.", features: .tls
  ) { kit in
    let place = kit.serve(
      .upgrade { connection in
        _ = try? await connection.receive()
        connection.cancel()
      })
    let (connection, start) = try await kit.upgrade(place)
    try await connection.send(Data([1]))
    try await kit.expectError(.connectionLost, "receiving") { _ = try await kit.receiveAll(connection, after: start) }
  }

  package static let twoWayCancelled = twoWay(
    "two-way-cancelled",
    "cancelling a connection ends its reader and its writers in CancellationError, and the server sees it",
    because: "Whoever cancels wants no more of the connection, and the server must not keep it."
  ) { kit in
    let (place, left) = departing(kit)
    let (connection, _) = try await kit.upgrade(place)
    let receiving = Task { _ = try await connection.receive() }
    // Time in which the reader begins to wait.
    _ = try await kit.fetch(kit.serve())
    connection.cancel()
    try await kit.expectCancellation("receiving") { try await receiving.value }
    try await kit.expectCancellation("receiving later") { _ = try await connection.receive() }
    try await kit.expectCancellation("sending") { try await connection.send(Data([1])) }
    try await ConformanceWaits.waiting(for: { "the server to see the end" }) { try await left.wait { $0 } }
  }

  package static let twoWayReleased = twoWay(
    "two-way-released", "a connection that is released ends, and the server sees it",
    because: "A connection that nobody has any more must not stay open."
  ) { kit in
    let (place, left) = departing(kit)
    _ = try await kit.upgrade(place)
    try await ConformanceWaits.waiting(for: { "the server to see the end" }) { try await left.wait { $0 } }
  }

  package static let twoWayTaskCancelled = twoWay(
    "two-way-task-cancelled", "a task that is cancelled stops receiving, and the connection goes on",
    because: "A task may stop waiting for a message, and another one wait for it."
  ) { kit in
    let (connection, _) = try await kit.upgrade(kit.serve(echo))
    let receiving = Task { _ = try await connection.receive() }
    // Time in which the reader begins to wait.
    _ = try await kit.fetch(kit.serve())
    receiving.cancel()
    try await kit.expectCancellation("receiving") { try await receiving.value }
    try await connection.send(Data([1, 2, 3]))
    try kit.expectEqual(try await kit.receive(3, from: connection), Data([1, 2, 3]), "the echo")
    connection.cancel()
  }

  package static let twoWayShutDown = twoWay(
    "two-way-shut-down", "shutdown ends two-way connections with an error, and refuses new ones",
    because: "A program that ends must not wait for a connection that never ends by itself.", needsOwnTransport: true
  ) { kit in
    let place = kit.serve(echo)
    let (connection, _) = try await kit.upgrade(place)
    let receiving = Task { _ = try await connection.receive() }
    // Time in which the reader begins to wait.
    _ = try await kit.fetch(kit.serve())
    await kit.shutDown()
    try await kit.expectError([.transportShutDown, .connectionLost], "receiving") { try await receiving.value }
    try await kit.expectError([.transportShutDown, .connectionLost], "sending") { try await connection.send(Data([1])) }
    try await kit.expectError(.transportShutDown, "connecting") {
      _ = try await kit.connect(Request(.get, place.url()))
    }
  }
}

// MARK: What the rules share

extension ConformanceRule {
  /// Creates a rule for transports with two-way connections.
  static func twoWay(
    _ id: String, _ sentence: String, source: String = "DuplexTransport", because reason: String,
    capabilities: TransportCapabilities = [], features: EndpointFeatures = [], needsOwnTransport: Bool = false,
    check: @escaping @Sendable (ConformanceKit) async throws -> Void
  ) -> ConformanceRule {
    ConformanceRule(
      id, sentence, source: source, because: reason, capabilities: capabilities.union(.duplex),
      features: features.union(.conversations), needsOwnTransport: needsOwnTransport, check: check)
  }

  /// Sends back what arrives.
  static let echo = ConformanceAnswer.upgrade { connection in
    while let bytes = try? await connection.receive() {
      guard (try? await connection.send(bytes)) != nil else { return }
    }
  }

  /// Opens a place that waits for the end of its connections, and tells it.
  static func departing(_ kit: ConformanceKit) -> (ConformancePlace, Watched<Bool>) {
    let left = Watched(false)
    let place = kit.serve(
      .upgrade { connection in
        while (try? await connection.receive()) != nil {}
        left.update { $0 = true }
      })
    return (place, left)
  }

  /// Sends bytes that depend on a seed.
  ///
  /// - Parameter sent: Called with the number of bytes after each piece that was taken.
  private static func pour(
    _ seed: UInt64, _ count: Int, into connection: DuplexConnection, sent: (Int) -> Void = { _ in }
  ) async throws {
    let round = RoundBytes(seed)
    for position in stride(from: 0, to: count, by: RoundBytes.length) {
      let bytes = round.bytes.prefix(count - position)
      try await connection.send(Data(bytes))
      sent(bytes.count)
    }
  }

  /// Receives the bytes of a seed; returns whether they are whole and in order.
  ///
  /// - Parameter start: The first bytes, which were received before.
  private static func drains(
    _ seed: UInt64, _ count: Int, from connection: DuplexConnection, after start: Data = Data()
  ) async throws -> Bool {
    let round = RoundBytes(seed)
    var position = 0
    var bytes = start
    while true {
      guard round.hasBytes(bytes, at: position) else { return false }
      position += bytes.count
      if position >= count { return position == count }
      guard let next = try await connection.receive() else { return false }
      bytes = next
    }
  }
}

/// Bytes that repeat after a prime number of them, so that pieces of other sizes in another order are noticed.
///
/// They are made once, because a rule sends them many times.
private struct RoundBytes {
  static let length = 65_521
  let bytes: Data

  init(_ seed: UInt64) { bytes = Data(BytePattern.seeded(seed).bytes(count: Self.length)) }

  /// Returns whether a piece that begins at a position has the right bytes.
  func hasBytes(_ piece: Data, at position: Int) -> Bool {
    var piece = piece
    var offset = position % Self.length
    while !piece.isEmpty {
      let part = piece.prefix(Self.length - offset)
      guard part == bytes.dropFirst(offset).prefix(part.count) else { return false }
      piece = piece.dropFirst(part.count)
      offset = 0
    }
    return true
  }
}

extension ConformanceKit {
  /// The transport, if it opens two-way connections.
  func duplexTransport() throws -> any DuplexTransport {
    guard let transport = transport as? any DuplexTransport else {
      throw ConformanceFailure("the transport has the capability, and is no DuplexTransport")
    }
    return transport
  }

  /// Opens a two-way connection to the server of a request.
  func connect(_ request: Request, in exchange: Exchange? = nil) async throws -> DuplexConnection {
    let transport = try duplexTransport()
    return try await ConformanceWaits.waiting(for: { "a two-way connection" }) {
      try await transport.connect(request, in: exchange ?? self.exchange())
    }
  }

  /// Returns the head of a request for another protocol.
  func upgradeHead(_ place: ConformancePlace) -> String {
    "GET \(place.url().path(percentEncoded: true)) HTTP/1.1\r\nHost: conformance\r\nConnection: Upgrade\r\n"
      + "Upgrade: conformance\r\n\r\n"
  }

  /// Opens a two-way connection, and changes to another protocol.
  ///
  /// - Returns: The connection, and what has arrived behind the head of the answer.
  func upgrade(_ place: ConformancePlace) async throws -> (DuplexConnection, Data) {
    let connection = try await connect(Request(.get, place.url()))
    return (connection, try await upgrade(connection, with: upgradeHead(place)))
  }

  /// Sends the head of a request, reads that of the answer, and returns what has arrived behind it.
  func upgrade(_ connection: DuplexConnection, with head: String) async throws -> Data {
    try await connection.send(Data(head.utf8))
    var answer = Data()
    return try await ConformanceWaits.waiting(for: { "the head of the answer" }) {
      while true {
        guard let bytes = try await connection.receive() else {
          throw ConformanceFailure("the connection ended before the head of the answer")
        }
        answer.append(bytes)
        guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)) else { continue }
        try expect(answer.starts(with: "HTTP/1.1 101 ".utf8), "the answer begins with other bytes than HTTP/1.1 101")
        return Data(answer[end.upperBound...])
      }
    }
  }

  /// Receives a number of bytes.
  func receive(_ count: Int, from connection: DuplexConnection) async throws -> Data {
    var all = Data()
    return try await ConformanceWaits.waiting(for: { "\(count) bytes" }) {
      while all.count < count {
        guard let bytes = try await connection.receive() else {
          throw ConformanceFailure("the connection ended after \(all.count) of \(count) bytes")
        }
        try expect(!bytes.isEmpty, "a piece without bytes was received")
        all.append(bytes)
      }
      return all
    }
  }

  /// Receives to the end.
  func receiveAll(_ connection: DuplexConnection, after start: Data) async throws -> Data {
    var all = start
    return try await ConformanceWaits.waiting(for: { "the end of a connection" }) {
      while let bytes = try await connection.receive() { all.append(bytes) }
      return all
    }
  }
}
