import Testing

@testable import CurlewLoading

private typealias Event = TransferMachine.Event
private typealias Effect = TransferMachine.Effect

@Suite(.timeLimit(.minutes(10))) struct TransferMachineTests {
  /// A row of the table: what was before, what happens, what follows (nil: it is not legal).
  struct Row: CustomTestStringConvertible {
    var before: [TransferMachine.Event]
    var event: TransferMachine.Event
    var effects: [TransferMachine.Effect]?
    var state: TransferState

    init(
      _ before: [TransferMachine.Event], _ event: TransferMachine.Event, _ effects: [TransferMachine.Effect]?,
      _ state: TransferState
    ) {
      self.before = before
      self.event = event
      self.effects = effects
      self.state = state
    }

    var testDescription: String { "\(before) then \(event)" }
  }

  static let rows: [Row] = [
    // Ready.
    Row([], .start, [.begin(1, .first)], .running),
    Row([], .pause, [], .paused),
    Row([], .resume, nil, .ready),
    Row([], .cancel, [.stop, .finish(.cancelled)], .finished),
    Row([], .expire, [.stop, .finish(.expired)], .finished),
    Row([], .waited(1), nil, .ready),
    // Running.
    Row([.start], .start, nil, .running),
    Row([.start], .resume, nil, .running),
    Row([.start], .pause, [.pause(1)], .paused),
    Row([.start], .cancel, [.stop, .finish(.cancelled)], .finished),
    Row([.start], .expire, [.stop, .finish(.expired)], .finished),
    Row([.start], .succeeded(1), [.decide(1)], .running),
    Row([.start], .failed(1, restartable: true), [.decide(1)], .running),
    Row([.start], .withdrawn(1), [.stop, .finish(.cancelled)], .finished),
    Row([.start], .succeeded(2), nil, .running),
    Row([.start], .released(1), nil, .running),
    Row([.start], .decided(1, .finish), nil, .running),
    // Deciding.
    Row([.start, .succeeded(1)], .decided(1, .finish), [.finish(.success)], .finished),
    Row([.start, .failed(1, restartable: false)], .decided(1, .finish), [.finish(.failure)], .finished),
    Row(
      [.start, .succeeded(1)], .decided(1, .retry(after: .seconds(1))), [.wait(2, .seconds(1))], .running),
    Row([.start, .succeeded(1)], .pause, [], .paused),
    Row([.start, .succeeded(1)], .cancel, [.stop, .finish(.cancelled)], .finished),
    Row([.start, .succeeded(1)], .succeeded(1), nil, .running),
    Row([.start, .succeeded(1)], .decided(1, .restart), [.begin(2, .restart)], .running),
    Row([.start, .failed(1, restartable: false)], .decided(1, .restart), [.begin(2, .restart)], .running),
    Row([.start, .failed(1, restartable: false)], .received(1, isNews: true), nil, .running),
    // Restarts.
    Row([.start], .decided(1, .restart), nil, .running),
    Row(restarted(8), .decided(9, .restart), [.finish(.failure)], .finished),
    Row(restarted(8, then: [.pause]), .decided(9, .restart), [], .paused),
    Row(restarted(8, then: [.pause, .decided(9, .restart)]), .resume, [.finish(.failure)], .finished),
    Row(restarted(8, bytesIn: 5), .decided(9, .restart), [.begin(10, .restart)], .running),
    Row([.start, .succeeded(1), .pause], .decided(1, .restart), [], .paused),
    Row([.start, .succeeded(1), .pause, .decided(1, .restart)], .resume, [.begin(2, .restart)], .running),
    Row(
      [.start, .succeeded(1), .pause, .decided(1, .restart)], .cancel, [.stop, .finish(.cancelled)], .finished),
    // Bytes.
    Row([], .received(1, isNews: true), nil, .ready),
    Row([.start], .received(1, isNews: true), [], .running),
    Row([.start], .received(2, isNews: true), nil, .running),
    Row([.start, .pause], .received(1, isNews: false), [], .paused),
    Row([.start, .cancel], .received(1, isNews: true), nil, .finished),
    // Waiting.
    Row([.start, .succeeded(1), .decided(1, .retry(after: .zero))], .waited(2), [.begin(2, .retry)], .running),
    Row([.start, .succeeded(1), .decided(1, .retry(after: .zero))], .waited(1), nil, .running),
    Row([.start, .succeeded(1), .decided(1, .retry(after: .zero))], .decided(1, .finish), nil, .running),
    Row([.start, .succeeded(1), .decided(1, .retry(after: .zero))], .pause, [], .paused),
    Row(
      [.start, .succeeded(1), .decided(1, .retry(after: .zero))], .cancel, [.stop, .finish(.cancelled)], .finished),
    // Paused before the start.
    Row([.pause], .start, nil, .paused),
    Row([.pause], .pause, nil, .paused),
    Row([.pause], .resume, [.begin(1, .first)], .running),
    Row([.pause], .cancel, [.stop, .finish(.cancelled)], .finished),
    // Paused in an attempt.
    Row([.start, .pause], .resume, [.resume(1)], .running),
    Row([.start, .pause], .start, nil, .paused),
    Row([.start, .pause], .pause, nil, .paused),
    Row([.start, .pause], .cancel, [.stop, .finish(.cancelled)], .finished),
    Row([.start, .pause], .withdrawn(1), [.stop, .finish(.cancelled)], .finished),
    Row([.start, .pause], .succeeded(1), [], .paused),
    Row([.start, .pause, .succeeded(1)], .resume, [.decide(1)], .running),
    Row([.start, .pause, .failed(1, restartable: false)], .resume, [.decide(1)], .running),
    Row([.start, .pause, .failed(1, restartable: true)], .resume, [.begin(2, .resumption)], .running),
    Row([.start, .pause], .released(1), [.stop], .paused),
    Row([.start, .pause, .released(1)], .failed(1, restartable: false), nil, .paused),
    Row([.start, .pause, .released(1)], .withdrawn(1), nil, .paused),
    Row([.start, .pause, .released(1)], .resume, [.begin(2, .resumption)], .running),
    // Paused between attempts.
    Row([.start, .succeeded(1), .pause], .decided(1, .finish), [], .paused),
    Row([.start, .succeeded(1), .pause, .decided(1, .finish)], .resume, [.finish(.success)], .finished),
    Row(
      [.start, .failed(1, restartable: true), .pause, .decided(1, .finish)], .resume, [.finish(.failure)], .finished),
    Row([.start, .succeeded(1), .pause], .decided(1, .retry(after: .zero)), [.wait(2, .zero)], .paused),
    Row([.start, .succeeded(1), .pause, .decided(1, .retry(after: .zero))], .waited(2), [], .paused),
    Row(
      [.start, .succeeded(1), .pause, .decided(1, .retry(after: .zero)), .waited(2)], .resume, [.begin(2, .retry)],
      .running),
    Row([.start, .succeeded(1), .decided(1, .retry(after: .zero)), .pause], .resume, [], .running),
    // Finished.
    Row([.cancel], .start, nil, .finished),
    Row([.cancel], .pause, nil, .finished),
    Row([.cancel], .resume, nil, .finished),
    Row([.cancel], .cancel, nil, .finished),
    Row([.cancel], .expire, nil, .finished),
    Row([.start, .cancel], .succeeded(1), nil, .finished),
    Row([.start, .cancel], .withdrawn(1), nil, .finished),
  ]

  @Test(arguments: rows)
  func `each event is answered as the table says`(row: Row) throws {
    var machine = TransferMachine(asksAfterSuccess: true)
    for event in row.before { try #require(machine.handle(event) != nil) }
    #expect(machine.handle(row.event) == row.effects)
    #expect(machine.state == row.state)
  }

  /// The events up to the decision after so many restarts, of which one attempt brought bytes.
  private static func restarted(
    _ count: Int, bytesIn attempt: Int? = nil, then last: [TransferMachine.Event] = []
  ) -> [TransferMachine.Event] {
    var events: [TransferMachine.Event] = [.start]
    for number in 1...count {
      if number == attempt { events.append(.received(number, isNews: false)) }
      events.append(.failed(number, restartable: false))
      events.append(.decided(number, .restart))
    }
    events.append(.failed(count + 1, restartable: false))
    return events + last
  }

  @Test func `a restart is no retry, and news start the count of retries over where that is wanted`() {
    for startsOver in [false, true] {
      var machine = TransferMachine(asksAfterSuccess: true, startsOver: startsOver)
      _ = machine.handle(.start)
      for number in 1...3 {
        _ = machine.handle(.failed(number, restartable: false))
        _ = machine.handle(.decided(number, .retry(after: .zero)))
        _ = machine.handle(.waited(number + 1))
      }
      _ = machine.handle(.failed(4, restartable: false))
      _ = machine.handle(.decided(4, .restart))
      #expect(machine.retries == 3)
      _ = machine.handle(.received(5, isNews: false))
      #expect(machine.retries == 3)
      _ = machine.handle(.received(5, isNews: true))
      #expect(machine.retries == (startsOver ? 0 : 3))
    }
  }

  @Test func `a success is final where only failures are decided about`() {
    var machine = TransferMachine(asksAfterSuccess: false)
    _ = machine.handle(.start)
    var failing = machine
    #expect(failing.handle(.failed(1, restartable: false)) == [.decide(1)])
    #expect(machine.handle(.succeeded(1)) == [.finish(.success)])
  }

  @Test(arguments: [true, false])
  func `every sequence of nine events keeps the rules`(asksAfterSuccess: Bool) {
    var walk = Walk()
    walk.visit(TransferMachine(asksAfterSuccess: asksAfterSuccess), Shadow(), depth: 9)
    #expect(walk.violations.isEmpty, "\(walk.violations.prefix(3))")
    #expect(walk.steps > (asksAfterSuccess ? 40_000 : 30_000))
  }
}

/// What an observer of the effects alone knows.
private struct Shadow {
  var live: Int?
  var lastBegun = 0
  var isPaused = false
  var isDeciding = false
  var waiting: Int?
  var isFinished = false
}

/// Walks every sequence of events.
///
/// An event that is refused must leave the machine as it was; what would follow it was walked from there already.
private struct Walk {
  var steps = 0
  var violations: [String] = []
  var path: [Event] = []

  mutating func visit(_ machine: TransferMachine, _ shadow: Shadow, depth: Int) {
    guard depth > 0 else { return }
    let number = shadow.lastBegun
    let events: [Event] = [
      .start, .pause, .resume, .cancel, .expire, .succeeded(number), .failed(number, restartable: true),
      .failed(number, restartable: false), .withdrawn(number), .decided(number, .finish),
      .decided(number, .retry(after: .seconds(1))), .decided(number, .restart), .waited(number + 1), .released(number),
      .received(number, isNews: true),
    ]
    for event in events {
      steps += 1
      var next = machine
      var after = shadow
      path.append(event)
      if let effects = next.handle(event) {
        if let violation = check(event, effects, machine.state, next.state, &after) {
          violations.append("\(path): \(violation)")
        }
        // What follows an event that changes nothing is walked from here already.
        if next != machine { visit(next, after, depth: depth - 1) }
      } else {
        if next != machine { violations.append("\(path): a refused event changed the machine") }
      }
      path.removeLast()
    }
  }

  private func check(
    _ event: Event, _ effects: [Effect], _ before: TransferState, _ now: TransferState, _ shadow: inout Shadow
  ) -> String? {
    if shadow.isFinished { return "something was legal after the end" }
    switch event {
    case .succeeded, .failed, .withdrawn:
      if shadow.live == nil { return "an attempt that does not run ended" }
      shadow.live = nil
    case .decided:
      if !shadow.isDeciding { return "nobody was asked" }
      shadow.isDeciding = false
    case .waited(let number):
      if shadow.waiting != number { return "nobody waited" }
      shadow.waiting = nil
    default: break
    }
    for effect in effects {
      switch effect {
      case .begin(let number, let reason):
        if shadow.live != nil || shadow.isDeciding || shadow.waiting != nil { return "two things at once" }
        if now != .running { return "an attempt began while not running" }
        if number <= shadow.lastBegun { return "attempts are not in order" }
        if (reason == .first) != (number == 1) { return "the reason does not fit" }
        shadow.live = number
        shadow.lastBegun = number
        shadow.isPaused = false
      case .pause(let number):
        if shadow.live != number || shadow.isPaused || now != .paused { return "paused what does not run" }
        shadow.isPaused = true
      case .resume(let number):
        if shadow.live != number || !shadow.isPaused || now != .running { return "resumed what was not paused" }
        shadow.isPaused = false
      case .decide(let number):
        if shadow.live != nil || number != shadow.lastBegun || now != .running { return "asked too early" }
        shadow.isDeciding = true
      case .wait(let number, _):
        if number != shadow.lastBegun + 1 || shadow.live != nil { return "waited for the wrong attempt" }
        shadow.waiting = number
      case .stop:
        shadow.live = nil
        shadow.isDeciding = false
        shadow.waiting = nil
      case .finish:
        if shadow.live != nil || shadow.isDeciding || shadow.waiting != nil { return "ended with something running" }
        if effects.last != effect { return "something follows the end" }
        shadow.isFinished = true
      }
    }
    if (now == .finished) != shadow.isFinished { return "finished without an outcome" }
    if now == .running, shadow.live == nil, !shadow.isDeciding, shadow.waiting == nil { return "runs without work" }
    if shadow.live != nil, shadow.isPaused != (now == .paused) { return "attempt and transfer are not paused alike" }
    return nil
  }
}
