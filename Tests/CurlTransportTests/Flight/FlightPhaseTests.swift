import CLibcurl
import CurlewCore
import Testing

@testable import CurlewCurlTransport

@Suite struct FlightPhaseTests {
  private static let phases: [FlightPhase] = [
    .queued, .opening, .connecting, .awaitingContinue(until: 7), .awaitingHead,
    .receivingBody(endsWithConnection: false),
    .receivingBody(endsWithConnection: true), .over,
  ]
  private static let events: [FlightPhase.Event] = [
    .opens, .takesOff, .connects, .awaitsContinue(until: 9), .continues, .responds(endsWithConnection: true), .ends,
  ]

  /// What every event leads to in every phase; nil where it cannot happen.
  private static let table: [[FlightPhase?]] = {
    let body = FlightPhase.receivingBody(endsWithConnection: true)
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
