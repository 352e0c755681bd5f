import CLibcurl
import CurlewCore
import Testing

@testable import CurlewCurlTransport

@Suite struct FlightPhaseTests {
  private static let phases: [FlightPhase] = [
    .queued, .opening, .connecting, .awaitingContinue(until: 7), .awaitingHead,
    .receivingBody(until: .length(5)), .receivingBody(until: .connection), .over,
  ]
  private static let events: [FlightPhase.Event] = [
    .opens, .takesOff, .connects, .awaitsContinue(until: 9), .continues, .responds(until: .connection), .ends,
  ]

  /// What every event leads to in every phase; nil where it cannot happen.
  private static let table: [[FlightPhase?]] = {
    let body = FlightPhase.receivingBody(until: .connection)
    return [
      // opens, takesOff, connects, awaitsContinue, continues, responds, ends
      [.opening, .connecting, nil, nil, nil, nil, .over],
      [nil, .connecting, nil, nil, nil, nil, .over],
      [nil, nil, .awaitingHead, nil, nil, nil, .over],
      [nil, nil, nil, nil, .awaitingHead, body, .over],
      [nil, nil, nil, .awaitingContinue(until: 9), nil, body, .over],
      [nil, nil, nil, nil, nil, nil, .over],
      [nil, nil, nil, nil, nil, nil, .over],
      [nil, nil, nil, nil, nil, nil, nil],
    ]
  }()

  @Test func `every event leads from every phase where the table says`() {
    for (phase, row) in zip(Self.phases, Self.table) {
      for (event, expected) in zip(Self.events, row) {
        var next = phase
        #expect(next.take(event) == (expected != nil), "\(event) in \(phase)")
        #expect(next == expected ?? phase, "\(event) in \(phase)")
      }
    }
  }

  @Test func `a phase says what is known in it`() {
    #expect(Self.phases.map(\.isConnected) == [false, false, false, true, true, true, true, false])
    #expect(Self.phases.map(\.hasHead) == [false, false, false, false, false, true, true, false])
    #expect(Self.phases.map(\.continueDue) == [nil, nil, nil, 7, nil, nil, nil, nil])
    #expect(
      Self.phases.map(\.stage) == [
        .connecting, .connecting, .connecting, .awaitingHead, .awaitingHead, .receivingBody, .receivingBody,
        .connecting,
      ])
  }

  @Test(arguments: [
    (BodyEnd.head, [true, false, false], [true, false, false]),
    (.length(5), [true, true, false], [false, true, false]),
    (.framing, [true, true, true], [nil, nil, nil]), (.connection, [true, true, true], [nil, nil, nil]),
  ])
  func `a body has the bytes that its head allows, and the head says whether they are all`(
    end: BodyEnd, allowed: [Bool], whole: [Bool?]
  ) {
    let phase = FlightPhase.receivingBody(until: end)
    #expect([0, 5, 6].map { phase.allows($0) } == allowed)
    #expect([0, 5, 6].map { phase.isWhole($0) } == whole)
    for phase in [FlightPhase.connecting, .awaitingHead, .over] { #expect(!phase.allows(1) && phase.isWhole(0) == nil) }
  }

  private static let masks: [(pauses: FlightPauses, mask: Int32)] = [
    ([], 0), ([.reader], CURLPAUSE_RECV), ([.receiveLimit], CURLPAUSE_RECV), ([.upload], CURLPAUSE_SEND),
    ([.sendLimit], CURLPAUSE_SEND), ([.reader, .receiveLimit], CURLPAUSE_RECV),
    ([.reader, .sendLimit], CURLPAUSE_RECV | CURLPAUSE_SEND),
    ([.reader, .upload, .receiveLimit, .sendLimit], CURLPAUSE_RECV | CURLPAUSE_SEND),
  ]

  @Test func `a direction moves when nothing pauses it`() {
    for (pauses, mask) in Self.masks { #expect(pauses.mask == mask) }
  }
}
