import Testing

@testable import CurlewOperations

private typealias Event = OperationLife.Event
private typealias Effect = OperationLife.Effect

/// The state machine, exhaustively.
@Suite(.timeLimit(.minutes(10))) struct OperationLifeTests {
  struct Row: CustomTestStringConvertible {
    var before: [OperationLife.Event]
    var event: OperationLife.Event
    var effects: [OperationLife.Effect]?
    var state: OperationState

    init(
      _ before: [OperationLife.Event], _ event: OperationLife.Event, _ effects: [OperationLife.Effect]?,
      _ state: OperationState
    ) {
      self.before = before
      self.event = event
      self.effects = effects
      self.state = state
    }

    var testDescription: String { "\(before) then \(event)" }
  }

  /// The effects of the end of an operation that was started.
  private static let end: [OperationLife.Effect] = [.announceEnd, .report(.finished), .conclude]
  /// The same, with a transfer that is to be cancelled.
  private static let stop: [OperationLife.Effect] = [.announceEnd, .stop, .report(.finished), .conclude]
  /// The same without a start: nothing is announced.
  private static let silent: [OperationLife.Effect] = [.report(.finished), .conclude]

  static let rows: [Row] = [
    // Ready.
    Row([], .start, [.launch, .report(.started)], .executing),
    Row([], .pause, [.announceReadiness, .report(.paused)], .paused),
    Row([], .resume, nil, .ready),
    Row([], .cancel, [], .ready),
    Row([], .cancelled, nil, .ready),
    Row([], .ended, nil, .ready),
    // Ready, between the halves of cancelling.
    Row([.cancel], .start, [], .ready),
    Row([.cancel], .pause, nil, .ready),
    Row([.cancel], .resume, nil, .ready),
    Row([.cancel], .cancel, [], .ready),
    Row([.cancel], .cancelled, silent, .finished),
    Row([.cancel], .ended, nil, .ready),
    Row([.cancel, .start], .start, nil, .ready),
    Row([.cancel, .start], .cancelled, end, .finished),
    // Paused before the start.
    Row([.pause], .start, [], .paused),
    Row([.pause], .pause, nil, .paused),
    Row([.pause], .resume, [.report(.resumed), .announceReadiness], .ready),
    Row([.pause], .cancel, [], .paused),
    Row([.pause], .ended, nil, .paused),
    Row([.pause, .cancel], .start, [], .paused),
    Row([.pause, .cancel], .cancelled, silent, .finished),
    Row([.pause, .cancel, .start], .cancelled, end, .finished),
    // Paused before the start, which came all the same.
    Row([.pause, .start], .start, nil, .paused),
    Row([.pause, .start], .pause, nil, .paused),
    Row([.pause, .start], .resume, [.report(.resumed), .launch, .report(.started)], .executing),
    Row([.pause, .start], .ended, nil, .paused),
    Row([.pause, .start, .cancel], .start, nil, .paused),
    Row([.pause, .start, .cancel], .resume, nil, .paused),
    Row([.pause, .start, .cancel], .cancelled, end, .finished),
    // Executing.
    Row([.start], .start, nil, .executing),
    Row([.start], .pause, [.pause, .report(.paused)], .paused),
    Row([.start], .resume, nil, .executing),
    Row([.start], .cancel, [], .executing),
    Row([.start], .cancelled, nil, .executing),
    Row([.start], .ended, end, .finished),
    Row([.start, .cancel], .pause, nil, .executing),
    Row([.start, .cancel], .ended, nil, .executing),
    Row([.start, .cancel], .cancelled, stop, .finished),
    // Paused after the start.
    Row([.start, .pause], .start, nil, .paused),
    Row([.start, .pause], .pause, nil, .paused),
    Row([.start, .pause], .resume, [.report(.resumed), .resume], .executing),
    Row([.start, .pause], .ended, end, .finished),
    Row([.start, .pause, .cancel], .resume, nil, .paused),
    Row([.start, .pause, .cancel], .cancelled, stop, .finished),
    // Over.
    Row([.start, .ended], .start, nil, .finished),
    Row([.start, .ended], .pause, nil, .finished),
    Row([.start, .ended], .resume, nil, .finished),
    Row([.start, .ended], .cancel, nil, .finished),
    Row([.start, .ended], .cancelled, nil, .finished),
    Row([.start, .ended], .ended, nil, .finished),
    // Over without a start: the queue's start announces the end, once.
    Row([.cancel, .cancelled], .start, [.announceEnd], .finished),
    Row([.cancel, .cancelled], .cancel, nil, .finished),
    Row([.cancel, .cancelled], .pause, nil, .finished),
    Row([.cancel, .cancelled], .resume, nil, .finished),
    Row([.cancel, .cancelled, .start], .start, nil, .finished),
  ]

  @Test(arguments: rows) func `each event has its effects in each state`(row: Row) {
    var life = OperationLife()
    for event in row.before { #expect(life.handle(event) != nil, "\(event) is not legal there") }
    let before = life
    #expect(life.handle(row.event) == row.effects)
    #expect(life.state == row.state)
    if row.effects == nil { #expect(life == before, "An event that is refused changes nothing.") }
  }

  @Test func `every sequence of six events keeps the promises`() {
    let events = OperationLife.Event.allCases
    var count = 0
    func visit(_ life: OperationLife, _ effects: [OperationLife.Effect], _ path: [OperationLife.Event]) {
      if let broken = Self.broken(life, effects) { Issue.record("\(broken) after \(path)") }
      guard path.count < 6 else {
        count += 1
        return
      }
      for event in events {
        var next = life
        let new = next.handle(event)
        if new == nil { #expect(next == life) }
        if life.isOver { #expect(next.isOver, "\(path) then \(event)") }
        visit(next, effects + (new ?? []), path + [event])
      }
    }
    visit(OperationLife(), [], [])
    #expect(count == 46_656)
  }

  /// What is wrong with what has happened so far; nil when nothing is.
  private static func broken(_ life: OperationLife, _ effects: [OperationLife.Effect]) -> String? {
    func times(_ effect: OperationLife.Effect) -> Int { effects.filter { $0 == effect }.count }
    if times(.launch) > 1 { return "two transfers" }
    if times(.conclude) != (life.isOver ? 1 : 0) { return "\(times(.conclude)) conclusions" }
    if times(.announceEnd) != (life.isOver && life.wasStarted ? 1 : 0) { return "an end announced wrongly" }
    if times(.launch) == 0, times(.pause) + times(.resume) > 0 { return "a pause of no transfer" }
    // Pauses and resumptions of the transfer alternate.
    let halts = effects.filter { $0 == .pause || $0 == .resume }
    if halts.enumerated().contains(where: { ($0.element == .pause) != ($0.offset % 2 == 0) }) { return "two pauses" }
    if let end = effects.firstIndex(of: .conclude), effects[(end + 1)...].contains(where: { $0 != .announceEnd }) {
      return "effects after the end"
    }
    if let started = effects.firstIndex(of: .report(.started)), effects[..<started].contains(.pause) {
      return "late start"
    }
    let isHalted = halts.last == .pause
    if life.state == .executing, isHalted { return "a transfer that nobody resumes" }
    return nil
  }
}
