import Testing

@testable import CurlewSession

/// The state machine, exhaustively.
@Suite(.timeLimit(.minutes(10))) struct TaskLifeTests {
  struct Row: CustomTestStringConvertible {
    var before: [TaskLife.Event]
    var event: TaskLife.Event
    var effects: [TaskLife.Effect]?
    var state: SessionTaskState
    var isDownload = false

    init(
      _ before: [TaskLife.Event], _ event: TaskLife.Event, _ effects: [TaskLife.Effect]?, _ state: SessionTaskState,
      isDownload: Bool = false
    ) {
      self.before = before
      self.event = event
      self.effects = effects
      self.state = state
      self.isDownload = isDownload
    }

    var testDescription: String { "\(isDownload ? "download" : "data") \(before) then \(event)" }
  }

  private static let end: [TaskLife.Effect] = [.announce(.completed), .conclude]
  private static let launch: [TaskLife.Effect] = [.launch, .announce(.running)]

  static let data: [Row] = [
    // Never resumed.
    Row([], .resume, launch, .running),
    Row([], .suspend, nil, .suspended),
    Row([], .cancel, end, .completed),
    Row([], .ended, nil, .suspended),
    Row([], .converted, nil, .suspended),
    // Never resumed, and read.
    Row([], .read, launch, .running),
    Row([], .leave, end, .completed),
    Row([.read], .read, nil, .running),
    Row([.read], .resume, nil, .running),
    Row([.read], .leave, [.stop] + end, .completed),
    Row([.read, .suspend], .read, nil, .suspended),
    Row([.read, .suspend], .leave, [.stop] + end, .completed),
    Row([.read, .suspend, .resume], .leave, nil, .running),
    Row([.read, .ended], .leave, nil, .completed),
    // Running.
    Row([.resume], .read, nil, .running),
    Row([.resume], .leave, nil, .running),
    Row([.resume, .suspend], .leave, nil, .suspended),
    Row([.resume], .resume, nil, .running),
    Row([.resume], .suspend, [.pause, .announce(.suspended)], .suspended),
    Row([.resume], .cancel, [.stop] + end, .completed),
    Row([.resume], .ended, end, .completed),
    Row([.resume], .converted, end, .completed),
    // Suspended with a transfer; suspending again changes nothing, so one resume is enough.
    Row([.resume, .suspend], .resume, [.resume, .announce(.running)], .running),
    Row([.resume, .suspend], .suspend, nil, .suspended),
    Row([.resume, .suspend], .cancel, [.stop] + end, .completed),
    Row([.resume, .suspend], .ended, end, .completed),
    Row([.resume, .suspend], .converted, end, .completed),
    // Completed.
    Row([.resume, .ended], .resume, nil, .completed),
    Row([.resume, .ended], .suspend, nil, .completed),
    Row([.resume, .ended], .cancel, nil, .completed),
    Row([.resume, .ended], .ended, nil, .completed),
    Row([.resume, .ended], .converted, nil, .completed),
    Row([.cancel], .resume, nil, .completed),
    Row([.cancel], .suspend, nil, .completed),
    Row([.cancel], .cancel, nil, .completed),
    Row([.cancel], .ended, nil, .completed),
    Row([.cancel], .converted, nil, .completed),
  ]

  static let downloads: [Row] = [
    Row([], .resume, launch, .running, isDownload: true),
    Row([], .suspend, nil, .suspended, isDownload: true),
    Row([], .cancel, end, .completed, isDownload: true),
    Row([], .ended, nil, .suspended, isDownload: true),
    Row([], .converted, nil, .suspended, isDownload: true),
    Row([.read], .leave, [.stop, .announce(.canceling)], .canceling, isDownload: true),
    Row([.read, .leave], .leave, nil, .canceling, isDownload: true),
    Row([.read, .leave], .ended, end, .completed, isDownload: true),
    Row([.resume], .leave, nil, .running, isDownload: true),
    Row([.resume], .resume, nil, .running, isDownload: true),
    Row([.resume], .suspend, [.pause, .announce(.suspended)], .suspended, isDownload: true),
    Row([.resume], .cancel, [.stop, .announce(.canceling)], .canceling, isDownload: true),
    Row([.resume], .ended, end, .completed, isDownload: true),
    Row([.resume], .converted, nil, .running, isDownload: true),
    Row([.resume, .suspend], .resume, [.resume, .announce(.running)], .running, isDownload: true),
    Row([.resume, .suspend], .suspend, nil, .suspended, isDownload: true),
    Row([.resume, .suspend], .cancel, [.stop, .announce(.canceling)], .canceling, isDownload: true),
    Row([.resume, .suspend], .ended, end, .completed, isDownload: true),
    Row([.resume, .suspend], .converted, nil, .suspended, isDownload: true),
    // Storing its bytes.
    Row([.resume, .cancel], .resume, nil, .canceling, isDownload: true),
    Row([.resume, .cancel], .suspend, nil, .canceling, isDownload: true),
    Row([.resume, .cancel], .cancel, nil, .canceling, isDownload: true),
    Row([.resume, .cancel], .ended, end, .completed, isDownload: true),
    Row([.resume, .cancel], .converted, nil, .canceling, isDownload: true),
    // Completed.
    Row([.resume, .ended], .resume, nil, .completed, isDownload: true),
    Row([.resume, .ended], .suspend, nil, .completed, isDownload: true),
    Row([.resume, .ended], .cancel, nil, .completed, isDownload: true),
    Row([.resume, .ended], .ended, nil, .completed, isDownload: true),
    Row([.resume, .ended], .converted, nil, .completed, isDownload: true),
  ]

  @Test(arguments: data + downloads) func `each event has its effects in each state`(row: Row) {
    var life = TaskLife(isDownload: row.isDownload)
    for event in row.before { #expect(life.handle(event) != nil, "\(event) is not legal there") }
    let before = life
    #expect(life.handle(row.event) == row.effects)
    #expect(life.state == row.state)
    if row.effects == nil { #expect(life == before, "An event that is refused changes nothing.") }
  }

  @Test func `a task lives on its own once it was resumed`() {
    var read = TaskLife(isDownload: false)
    _ = read.handle(.read)
    #expect(!read.mustLive)
    _ = read.handle(.suspend)
    _ = read.handle(.resume)
    #expect(read.mustLive)
    var resumed = TaskLife(isDownload: true)
    _ = resumed.handle(.resume)
    #expect(resumed.mustLive)
    #expect(TaskLife(continuing: .running).mustLive && !TaskLife(continuing: .suspended).mustLive)
  }

  @Test(arguments: [SessionTaskState.running, .suspended])
  func `a download that continues a data task begins in its state`(state: SessionTaskState) {
    var life = TaskLife(continuing: state)
    #expect(life.state == state)
    #expect(life.handle(.converted) == nil)
    if state == .suspended { #expect(life.handle(.resume) == [.resume, .announce(.running)]) }
    #expect(life.handle(.cancel) == [.stop, .announce(.canceling)])
    #expect(life.handle(.ended) == Self.end)
  }

  @Test(arguments: [false, true])
  func `every history of at most twelve accepted events keeps the promises`(isDownload: Bool) {
    var count = 0
    func visit(_ life: TaskLife, _ effects: [TaskLife.Effect], _ path: [TaskLife.Event]) {
      if let broken = Self.broken(life, effects, isDownload) { Issue.record("\(broken) after \(path)") }
      count += 1
      guard path.count < 12 else { return }
      for event in TaskLife.Event.allCases {
        var next = life
        // A refused event changes nothing, as the table's test shows.
        guard let news = next.handle(event) else { continue }
        visit(next, effects + news, path + [event])
      }
    }
    visit(TaskLife(isDownload: isDownload), [], [])
    #expect(count == 95)
  }

  /// The promise that a history breaks.
  private static func broken(_ life: TaskLife, _ effects: [TaskLife.Effect], _ isDownload: Bool) -> String? {
    func number(_ effect: TaskLife.Effect) -> Int { effects.count { $0 == effect } }
    if number(.launch) > 1 { return "There are two launches" }
    if number(.stop) > 1 { return "It is stopped twice" }
    if number(.conclude) > 1 || number(.announce(.completed)) > 1 { return "It ends twice" }
    if (life.state == .completed) != (effects.last == .conclude) { return "The end is not the last effect" }
    let transfers = effects.filter { [.launch, .pause, .resume, .stop].contains($0) }
    if let first = transfers.first, first != .launch { return "A transfer is used before it exists" }
    let pauses = transfers.filter { $0 == .pause || $0 == .resume }
    for (index, effect) in pauses.enumerated() where (effect == .pause) != index.isMultiple(of: 2) {
      return "Pauses and resumptions do not alternate"
    }
    let states = effects.compactMap { if case .announce(let state) = $0 { state } else { nil } }
    if zip(states, states.dropFirst()).contains(where: { $0 == $1 }) { return "A state is announced twice" }
    if let last = states.last, last != life.state { return "The last announced state is not the state" }
    if !isDownload, states.contains(.canceling) { return "Cancelling a data task takes time" }
    return nil
  }
}
