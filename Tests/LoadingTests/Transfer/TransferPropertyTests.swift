import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Random lives of transfers; a failure names its seed.
@Suite(.timeLimit(.minutes(10))) struct TransferPropertyTests {
  @Test(arguments: 0..<20)
  func `whatever is done to it, it has one outcome and tells the truth`(batch: Int) async throws {
    for number in 0..<100 {
      let seed = UInt64(batch * 1_000 + number)
      let violations = await Life(seed: seed).run()
      #expect(violations.isEmpty, "seed \(seed): \(violations)")
    }
  }
}

/// One random life.
private struct Life {
  let seed: UInt64
  let clock = ManualClock()
  let body: Data
  let answer: StubAnswer
  var random: SeededRandom

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededRandom(seed: seed)
    let count = [0, 1, 100, 5_000, 70_000].randomElement(using: &random) ?? 0
    body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(truncatingIfNeeded: seed)) })
    var answer = StubAnswer.bytes(body, chunkSize: Int.random(in: 1...max(1, count / 3), using: &random))
    answer.announcesLength = Bool.random(using: &random)
    let clock = clock
    if Bool.random(using: &random) {
      answer.body = answer.body.flatMap { step in
        [.wait { clock.advance(by: .milliseconds(40)) }, step]
      }
    }
    self.answer = answer
    self.random = random
  }

  consuming func run() async -> [String] {
    var random = random
    let stub = StubTransport(answer)
    let failing = FailingTransport(
      stub, seed: seed, probability: Double.random(in: 0...0.8, using: &random),
      faults: [
        .beforeSending(Fixture.lost(.connectionFailed, maybeProcessed: false)), .beforeHead(Fixture.lost()),
        .inBody(after: Int64.random(in: 0...9_000, using: &random), Fixture.lost()), .stallBeforeHead,
        .stallInBody(after: Int64.random(in: 0...9_000, using: &random)),
      ])
    let observer = RecordingObserver()
    let files = MemoryFileSystem()
    let usesFile = Bool.random(using: &random)
    let sink: any TransferSink = usesFile ? .file("/f", in: files) : .memory(limit: 1 << 20)
    var settings = Fixture.settings(clock: clock, observer: observer)
    if Int.random(in: 0..<4, using: &random) == 0 {
      settings.deadline = clock.now.advanced(by: .seconds(Int.random(in: 0...9, using: &random)))
    }
    var configuration = Transfer<TransferResult>.Configuration(Fixture.request(), to: sink, settings: settings) { $0 }
    if Bool.random(using: &random) {
      configuration.pausing = .release(after: .seconds(Int.random(in: 0...2, using: &random)))
    }
    let tries = Int.random(in: 1...6, using: &random)
    let wait = Duration.milliseconds(Int.random(in: 0...2_000, using: &random))
    if Bool.random(using: &random) {
      configuration.shouldRetry = { attempt, _ in
        attempt.error == nil || attempt.number >= tries ? .finish : .retry(after: wait)
      }
    }
    let transfer = Transfer(Loader(failing), configuration)
    let outcomes = Collected<TransferOutcome<TransferResult>>()
    let snapshots = Collected<TransferProgress>()
    let states = Collected<TransferState>()
    let executor = CallbackExecutor.serial()
    transfer.onFinish(on: executor) { outcomes.append($0) }
    transfer.onStateChange(on: executor) { states.append($0) }
    transfer.downloadProgress.observe(on: executor) { snapshots.append($0) }
    let value = Task { try await transfer.value }

    await Self.disturb(transfer, clock, &random)
    await Self.bringToEnd(transfer, clock)

    let isSuccess = (try? await value.value) != nil
    await transfer.settled()
    let flushed = ManualGate()
    executor.run { flushed.open() }
    try? await flushed.wait()
    // A timer's thread may still be about to hand the last snapshot to the executor, and a cancelled one about to end its sleep.
    let limit = ContinuousClock.now.advanced(by: .seconds(300))
    while isSuccess && snapshots.all.last?.isFinal != true || clock.sleeperCount != 0, ContinuousClock.now < limit {
      await Task.yield()
    }

    var violations = Self.check(snapshots.all, isSuccess: isSuccess, count: body.count)
    if outcomes.all.count != 1 { violations.append("\(outcomes.all.count) outcomes") }
    if states.all.count(where: { $0 == .finished }) != 1 || states.all.last != .finished {
      violations.append("states \(states.all)")
    }
    let finishes = observer.names.count { $0 == "finished" }
    if finishes != observer.names.count(where: { $0 == "started" }) || finishes > 1 { violations.append("events") }
    if finishes == 1, observer.names.last != "finished" { violations.append("an event after the end") }
    if stub.inFlightCount != 0 { violations.append("\(stub.inFlightCount) in flight") }
    if clock.sleeperCount != 0 { violations.append("\(clock.sleeperCount) sleepers") }
    // A transfer that is cancelled at its very end may have its file.
    let written = files.contents(of: "/f")
    if (try? files.list("/")) != (written == nil ? [] : ["f"]) { violations.append("files left") }
    if written.map({ $0 != Array(body) }) ?? false { violations.append("a part in the file") }
    if case .success(let result)? = outcomes.all.first {
      if usesFile ? files.contents(of: "/f") != Array(body) : result.content.data != body {
        violations.append("wrong bytes")
      }
    }
    if transfer.start() || transfer.pause() || transfer.resume() || transfer.cancel() { violations.append("not over") }
    return violations
  }

  /// Two tasks do what they like with it.
  private static func disturb(
    _ transfer: Transfer<TransferResult>, _ clock: ManualClock, _ random: inout SeededRandom
  ) async {
    let seeds = [random.next(), random.next()]
    await withTaskGroup(of: Void.self) { group in
      for seed in seeds {
        group.addTask {
          var random = SeededRandom(seed: seed)
          for _ in 0..<Int.random(in: 0...12, using: &random) {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<4: transfer.start()
            case 4..<8: transfer.pause()
            case 8..<12: transfer.resume()
            case 12: transfer.cancel()
            case 13..<16: clock.advance(by: .milliseconds(Int.random(in: 1...1_500, using: &random)))
            default: for _ in 0..<Int.random(in: 1...30, using: &random) { await Task.yield() }
            }
          }
        }
      }
    }
  }

  /// Lets it end by itself, and cancels what stalls.
  private static func bringToEnd(_ transfer: Transfer<TransferResult>, _ clock: ManualClock) async {
    var rounds = 0
    while transfer.state != .finished {
      rounds += 1
      if rounds > 3_000 { transfer.cancel() }
      transfer.start()
      transfer.resume()
      if rounds.isMultiple(of: 10) { clock.advance(by: .milliseconds(500)) }
      await Task.yield()
    }
  }

  private static func check(_ snapshots: [TransferProgress], isSuccess: Bool, count: Int) -> [String] {
    var violations: [String] = []
    var last: Int64 = 0
    for snapshot in snapshots {
      if snapshot.completed < last { violations.append("progress went back") }
      if snapshot.recent != snapshot.completed - last { violations.append("progress does not add up") }
      if let total = snapshot.total, snapshot.completed > total { violations.append("progress above the total") }
      last = snapshot.completed
    }
    if snapshots.count(where: \.isFinal) != (isSuccess ? 1 : 0) { violations.append("final snapshots") }
    if isSuccess, snapshots.last?.isFinal != true || last != Int64(count) { violations.append("the end is not whole") }
    return violations
  }
}
