import CurlewCore
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes

/// One random life of a connection.
struct ConnectionRun {
  struct Report: Sendable {
    var violations: [String] = []
    var calls: [DelegateOrder.Call] = []
    var wasCancelled = false
  }

  let seed: UInt64
  let clock: ManualClock
  let base: String
  private var random: SeededRandom

  init(seed: UInt64, clock: ManualClock, base: String) {
    self.seed = seed
    self.clock = clock
    self.base = base
    random = SeededRandom(seed: seed)
  }

  private mutating func request() -> (Request, @Sendable () -> Body) {
    let count = Int.random(in: 0...3_000, using: &random)
    let oneShot: @Sendable () -> Body = {
      .stream(
        AsyncStream<Data> { continuation in
          for _ in 0..<3 { continuation.yield(Data(count: count)) }
          continuation.finish()
        }, length: Int64(count * 3))
    }
    let address = "\(base)/\(seed)/0\(Int.random(in: 0..<4, using: &random) == 0 ? "?canonical" : "")"
    var request = Request(.get, URL(string: address) ?? Fixture.url)
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      request.method = .post
      request.body = .bytes(Data(count: count))
    case 1:
      request.method = .put
      request.body = oneShot()
    default: break
    }
    return (request, oneShot)
  }

  /// - Parameter advances: Whether time goes on, which ends what stalls; else everything ends by itself.
  mutating func carryOut(_ loader: Loader, _ script: ServerScript, advances: Bool) async throws -> Report {
    let (request, oneShot) = request()
    var settings = Fixture.settings(clock: clock)
    settings.deadline = clock.now.advanced(by: .seconds(Int.random(in: 1...60, using: &random)))
    let cancelsAfter = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 1...12, using: &random) : nil
    let cancelsOutside = Int.random(in: 0..<5, using: &random) == 0
    let yields = Int.random(in: 0...60, using: &random)
    let step = Duration.seconds(Int.random(in: 1...20, using: &random))
    let noted = Guarded<DelegateOrderChecker?>(nil)
    let wasCancelled = Guarded(false)
    let delegate = RandomDelegate(
      seed: seed, holds: advances, cancelsAfter: cancelsAfter, oneShot: oneShot,
      onCancel: {
        wasCancelled.withLock { $0 = true }
        noted.withLock { $0 }?.noteCancelled()
      })
    var checker = DelegateOrderChecker(wrapping: delegate)
    noted.withLock { $0 = checker }
    let connection = Connection(request, over: loader, delegate: checker, settings: settings)
    connection.start()
    var rounds = 0
    while !checker.isOver, cancelsOutside || advances {
      rounds += 1
      if cancelsOutside, rounds > yields {
        if connection.cancel() { wasCancelled.withLock { $0 = true } }
        break
      }
      if advances, rounds > 200 { clock.advance(by: step) }
      await Task.yield()
    }
    if !cancelsOutside { try await checker.waitForEnd() }
    await connection.settled()
    if wasCancelled.withLock({ $0 }) { checker.noteCancelled() }
    for _ in 0..<3 { await Task.yield() }
    await connection.settled()

    var report = Report(violations: checker.violations, calls: checker.calls)
    report.wasCancelled = wasCancelled.withLock { $0 }
    let ends = report.calls.count { $0 == .finish || $0 == .fail }
    if ends > 1 || (ends == 0 && !report.wasCancelled) { report.violations.append("\(ends) ends") }
    if report.calls.last == .finish, let head = checker.responses.last { check(head, checker.body, script, &report) }
    noted.withLock { $0 = nil }
    if !isKnownUniquelyReferenced(&checker) { report.violations.append("the delegate is still held") }
    return report
  }

  /// Whether a whole body is the one that was sent.
  private func check(_ head: ResponseHead, _ body: Data, _ script: ServerScript, _ report: inout Report) {
    guard head.status == .ok, let hop = Int(head.url.path.split(separator: "/").last ?? "") else { return }
    if let expected = script.expected(hop), Data(expected) != body { report.violations.append("wrong bytes") }
  }

  /// What a run found, all together.
  struct Tally: Sendable {
    var violations: [String] = []
    var violationCount = 0
    var counts: [String: Int] = [:]

    mutating func take(_ report: Report, seed: UInt64) {
      violationCount += report.violations.count
      if !report.violations.isEmpty, violations.count < 20 {
        violations.append("seed \(seed): \(report.violations) in \(report.calls)")
      }
      for call in Set(report.calls.map { "\($0)".prefix { $0.isLetter } }) { counts[String(call), default: 0] += 1 }
      if report.wasCancelled { counts["cancelled", default: 0] += 1 }
    }

    mutating func add(_ other: Tally) {
      violationCount += other.violationCount
      violations += other.violations
      counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// Whether every call of the contract came up.
    var isDiverse: Bool {
      [
        "willSend", "canAuthenticate", "mayUseStoredCredentials", "challenge", "cancelChallenge", "sent", "needNewBody",
        "response", "data", "willCache", "finish", "fail", "cancelled",
      ].allSatisfy { counts[$0] ?? 0 > 0 }
    }

    func show(_ place: String, _ count: Int, _ seed: UInt64) {
      let list = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      let line =
        "\(count) connections (\(place)), seeds from \(seed), \(violationCount) violations; runs with: \(list)\n"
      _ = write(2, line, line.utf8.count)
    }
  }
}
