import CurlewCore
import FoundationEssentials
import Testing

@testable import CurlewSecurity

/// The state machine of a token, walked through all orders of what can happen.
@Suite struct TokenRefreshTests {
  private enum Event: Hashable {
    case ask(Int)
    case leave(Int)
    case finish(success: Bool)
    case set(Bool)
  }

  private struct World {
    var machine: TokenRefresh
    var names: [TokenRefresh.Waiter]
    var asked: Set<Int> = []
    var left: Set<Int> = []
    /// How often each was told.
    var told = [0, 0, 0]
    var started = 0
    var running: UInt64?
    /// Whether the running refresh is one whose result is dropped.
    var isOutdated = false
    var trace: [Event] = []
    let refused: String?

    init(_ token: BearerToken?, refused: String?) {
      machine = TokenRefresh(token, window: RefreshWindow(limit: 100), leeway: .seconds(30))
      names = []
      for _ in 0..<3 { names.append(machine.enter()) }
      self.refused = refused
    }

    mutating func tell(_ waiters: Set<TokenRefresh.Waiter>) {
      for waiter in waiters { if let index = names.firstIndex(of: waiter) { told[index] += 1 } }
    }

    mutating func apply(_ event: Event, _ now: ContinuousClock.Instant) {
      trace.append(event)
      switch event {
      case .ask(let index):
        asked.insert(index)
        switch machine.ask(names[index], refused: refused, now: now, date: Date(timeIntervalSince1970: 0)) {
        case .token(let token):
          #expect(token.value != refused, "\(trace)")
          told[index] += 1
        case .left:
          #expect(left.contains(index), "\(trace)")
          told[index] += 1
        case .tooMany: Issue.record("too many: \(trace)")
        case .wait(let starts):
          #expect(!left.contains(index), "\(trace)")
          if let starts {
            #expect(running == nil, "two refreshes at once: \(trace)")
            running = starts
            started += 1
          } else {
            #expect(running != nil, "waits for nothing: \(trace)")
          }
        }
      case .leave(let index):
        left.insert(index)
        if machine.leave(names[index]) {
          #expect(told[index] == 0, "\(trace)")
          told[index] += 1
        }
      case .finish(let success):
        guard let number = running else { return }
        running = nil
        let ending = machine.finish(
          number, with: success ? BearerToken("new\(number)") : nil, now: now, date: Date(timeIntervalSince1970: 0))
        #expect(ending.told.allSatisfy { $0.token == nil || $0.token?.value != refused }, "\(trace)")
        #expect(ending.told.allSatisfy { !success || $0.token != nil }, "\(trace)")
        #expect(!isOutdated || ending.told.isEmpty && machine.token?.value != "new\(number)", "\(trace)")
        #expect(ending.starts == nil || isOutdated, "\(trace)")
        isOutdated = false
        running = ending.starts
        tell(Set(ending.told.map(\.waiter)))
      case .set(let hasToken):
        isOutdated = running != nil
        tell(machine.set(hasToken ? BearerToken("set") : nil))
      }
      #expect(machine.running == running, "\(trace)")
      #expect(told.allSatisfy { $0 <= 1 }, "told twice: \(trace)")
    }

    var possible: [Event] {
      var events: [Event] = []
      for index in 0..<3 {
        if !asked.contains(index) { events.append(.ask(index)) }
        if !left.contains(index) { events.append(.leave(index)) }
      }
      if running != nil { events += [.finish(success: true), .finish(success: false)] }
      events += [.set(true), .set(false)].filter { !trace.contains($0) }
      return events
    }
  }

  /// Walks all orders to a depth, and ends each with what a real run ends with.
  private func walk(_ world: World, depth: Int, now: ContinuousClock.Instant) -> Int {
    var ending = world
    while ending.running != nil { ending.apply(.finish(success: true), now) }
    #expect(ending.machine.waiters.isEmpty, "someone waits for ever: \(world.trace)")
    for index in world.asked { #expect(ending.told[index] == 1, "told \(ending.told[index]) times: \(world.trace)") }
    guard depth > 0 else { return 1 }
    return world.possible.reduce(1) { count, event in
      var next = world
      next.apply(event, now)
      return count + walk(next, depth: depth - 1, now: now)
    }
  }

  @Test(
    arguments: [
      (nil, nil), (BearerToken("old"), nil), (BearerToken("old"), "old"), (BearerToken("newer"), "old"),
      (BearerToken("old", expires: Date(timeIntervalSince1970: -1)), nil),
      (BearerToken("soon", expires: Date(timeIntervalSince1970: 20)), nil),
    ] as [(BearerToken?, String?)])
  func `in every order one refresh runs at a time and each who asked is told once`(
    token: BearerToken?, refused: String?
  ) {
    let count = walk(World(token, refused: refused), depth: 5, now: .now)
    #expect(count > 5_000)
  }

  @Test func `a leeway of any length makes every token with an end one that is renewed`() {
    let token = BearerToken("soon", expires: Date() + 1e9)
    for leeway in [Duration.seconds(Int64.max), .seconds(Int64.max) * 18] {
      var machine = TokenRefresh(token, window: RefreshWindow(interval: leeway), leeway: leeway)
      let name = machine.enter()
      #expect(machine.ask(name, refused: nil, now: .now, date: Date()) == .wait(starts: 1))
    }
  }

  @Test func `a failed refresh tells all who wait, and the next one to ask tries again`() {
    var machine = TokenRefresh(nil, window: RefreshWindow(), leeway: .zero)
    let (now, date) = (ContinuousClock.now, Date())
    let names = (0..<4).map { _ in machine.enter() }
    #expect(machine.ask(names[0], refused: nil, now: now, date: date) == .wait(starts: 1))
    #expect(machine.ask(names[1], refused: nil, now: now, date: date) == .wait(starts: nil))
    #expect(machine.ask(names[2], refused: nil, now: now, date: date) == .wait(starts: nil))
    let told = machine.finish(1, with: nil, now: now, date: date).told
    #expect(told.map(\.waiter) == Array(names.prefix(3)) && told.allSatisfy { $0.token == nil })
    #expect(machine.ask(names[3], refused: nil, now: now, date: date) == .wait(starts: 2))
  }

  @Test func `a renewal that fails early leaves the token to whom it was not refused, until it ends`() {
    let (now, date) = (ContinuousClock.now, Date(timeIntervalSince1970: 1_000))
    let token = BearerToken("soon", expires: date + 20)
    var machine = TokenRefresh(token, window: RefreshWindow(), leeway: .seconds(30))
    let names = (0..<2).map { _ in machine.enter() }
    #expect(machine.ask(names[0], refused: nil, now: now, date: date) == .wait(starts: 1))
    #expect(machine.ask(names[1], refused: "soon", now: now, date: date) == .wait(starts: nil))
    #expect(machine.finish(1, with: nil, now: now, date: date).told.map(\.token) == [token, nil])
    let late = machine.enter()
    #expect(machine.ask(late, refused: nil, now: now, date: date + 19) == .wait(starts: 2))
    #expect(machine.finish(2, with: nil, now: now, date: date + 20).told.map(\.token) == [nil])
  }

  @Test func `past the window nothing is renewed until it has moved on`() {
    var machine = TokenRefresh(nil, window: RefreshWindow(limit: 2, interval: .seconds(10)), leeway: .zero)
    let (now, date) = (ContinuousClock.now, Date())
    for number in 1...2 {
      #expect(machine.ask(machine.enter(), refused: nil, now: now, date: date) == .wait(starts: UInt64(number)))
      _ = machine.finish(UInt64(number), with: nil, now: now, date: date)
    }
    #expect(machine.ask(machine.enter(), refused: nil, now: now + .seconds(9), date: date) == .tooMany)
    #expect(machine.ask(machine.enter(), refused: nil, now: now + .seconds(10), date: date) == .wait(starts: 3))
  }

  @Test func `a refresh after a set token begins when the outdated one has ended, within the window`() {
    for limit in [1, 2] {
      var machine = TokenRefresh(nil, window: RefreshWindow(limit: limit), leeway: .zero)
      let (now, date) = (ContinuousClock.now, Date())
      #expect(machine.ask(machine.enter(), refused: nil, now: now, date: date) == .wait(starts: 1))
      #expect(machine.set(BearerToken("set")).count == 1)
      let (refused, other) = (machine.enter(), machine.enter())
      #expect(machine.ask(refused, refused: "set", now: now, date: date) == .wait(starts: nil))
      #expect(machine.ask(other, refused: nil, now: now, date: date) == .token(BearerToken("set")))
      let ending = machine.finish(1, with: BearerToken("late"), now: now, date: date)
      #expect(machine.token == BearerToken("set"))
      #expect(ending.starts == (limit == 1 ? nil : 2) && ending.isTooMany == (limit == 1))
      #expect(ending.told.map(\.token) == (limit == 1 ? [nil] : []))
      guard limit == 2 else { continue }
      #expect(machine.finish(2, with: BearerToken("new"), now: now, date: date).told.map(\.waiter) == [refused])
      #expect(machine.token == BearerToken("new"))
    }
  }

  @Test func `a token that lives shorter than the leeway is used until it ends`() {
    let (now, date) = (ContinuousClock.now, Date(timeIntervalSince1970: 1_000))
    let token = BearerToken("short", expires: date + 5)
    var machine = TokenRefresh(token, window: RefreshWindow(limit: 1), leeway: .seconds(30))
    #expect(machine.ask(machine.enter(), refused: nil, now: now, date: date) == .wait(starts: 1))
    _ = machine.finish(1, with: token, now: now, date: date)
    #expect(machine.ask(machine.enter(), refused: nil, now: now, date: date) == .token(token))
    #expect(machine.ask(machine.enter(), refused: nil, now: now, date: date + 5) == .tooMany)
  }
}
