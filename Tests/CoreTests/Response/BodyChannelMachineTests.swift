import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewCore

@Suite struct BodyChannelMachineTests {
  /// One call, and what must come of it.
  enum Step: Sendable {
    case put(Int, BodyChannelMachine.Answer)
    case handed(SinkDemand, goesOn: Bool)
    case sinkThrows
    case finish
    case fail(discards: Bool = false)
    case read(Int)
    case readsNothing
    case readsEnd
    case readThrows(Failure)
    case drains(Int)
    case drainAwaitsSink
    case drainWaits
    case drainEnds
    case drainThrows(Failure)
    case resumes(Bool)
    case asksToPause(Bool)
    case cancels(isNew: Bool, stopsProducer: Bool)
    case isFull(Bool)
    case hasNews(Bool, for: BodyChannelMachine.News)
  }

  enum Failure: Sendable, Equatable {
    case producer
    case sink
    case cancelled
  }

  private struct ProducerFailed: Error {}
  private struct SinkFailed: Error {}

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let pressure: BodyChannelMachine.Pressure
    let steps: [Step]
    var testDescription: String { name }

    init(_ name: String, _ pressure: BodyChannelMachine.Pressure = .pausable(from: 8), _ steps: Step...) {
      self.name = name
      self.pressure = pressure
      self.steps = steps
    }
  }

  private static let rows: [Row] = [
    Row(
      "a reader pulls what was put, and then the end", .pausable(from: 8), .readsNothing, .put(3, .buffered),
      .hasNews(true, for: .bytes), .read(3), .readsNothing, .finish, .readsEnd, .readsEnd),
    Row(
      "an error comes behind the bytes", .pausable(from: 8), .put(3, .buffered), .fail(), .read(3),
      .readThrows(.producer)),
    Row(
      "an error can come before them", .pausable(from: 8), .put(3, .buffered), .fail(discards: true),
      .readThrows(.producer)),
    Row("the first end counts", .pausable(from: 8), .finish, .fail(), .readsEnd),
    Row(
      "a producer that can pause is refused from the limit on, and resumes at a quarter", .pausable(from: 8),
      .put(7, .buffered), .isFull(false), .put(9, .buffered), .isFull(true), .put(1, .full), .resumes(false), .read(16),
      .resumes(true), .resumes(false), .put(1, .buffered)),
    Row(
      "a producer that asks first is not refused", .pausable(from: 8), .asksToPause(false), .put(8, .buffered),
      .asksToPause(true), .read(8), .resumes(true)),
    Row(
      "a limit below one byte still lets one in", .pausable(from: 0), .put(1, .buffered), .put(1, .full), .read(1),
      .resumes(true)),
    Row(
      "a producer does not resume behind the end", .pausable(from: 1), .put(1, .buffered), .put(1, .full), .fail(),
      .read(1), .resumes(false)),
    Row(
      "a producer that cannot pause fills the limit exactly, and is not asked to resume", .bounded(by: 8),
      .put(8, .buffered), .put(1, .full), .asksToPause(false), .read(8), .resumes(false), .put(8, .buffered)),
    Row(
      "a sink gets what is buffered first, and is then lent to the producer", .pausable(from: 8), .put(3, .buffered),
      .drains(3), .put(1, .full), .drainWaits, .resumes(true), .put(5, .hand), .handed(.more, goesOn: true), .finish,
      .hasNews(true, for: .drain), .drainEnds),
    Row(
      "a sink's pause gives it back, and refuses bytes until it is ready", .pausable(from: 8), .drainWaits,
      .put(5, .hand), .handed(.pause, goesOn: true), .isFull(true), .put(5, .full), .resumes(false), .drainAwaitsSink,
      .put(5, .full), .drainWaits, .isFull(false), .resumes(true), .put(5, .hand)),
    Row(
      "a sink's pause buffers what a producer that cannot pause brings", .bounded(by: 8), .drainWaits, .put(5, .hand),
      .handed(.pause, goesOn: true), .put(8, .buffered), .put(1, .full), .drainAwaitsSink, .drains(8), .drainWaits,
      .put(9, .hand)),
    Row(
      "an end during a sink's pause comes when it is ready", .pausable(from: 8), .drainWaits, .put(5, .hand),
      .handed(.pause, goesOn: true), .finish, .drainAwaitsSink, .drainEnds),
    Row(
      "what the sink throws is what ends the body, whatever the producer says", .pausable(from: 8), .drainWaits,
      .put(5, .hand), .sinkThrows, .put(5, .gone), .drainWaits, .fail(), .drainThrows(.sink)),
    Row(
      "a sink that threw does not end well", .pausable(from: 8), .drainWaits, .put(5, .hand), .sinkThrows, .finish,
      .drainThrows(.sink)),
    Row(
      "an end while nobody reads waits for the sink", .pausable(from: 8), .put(3, .buffered), .finish, .drains(3),
      .drainEnds),
    Row(
      "an error ends a drain behind the bytes", .pausable(from: 8), .put(3, .buffered), .fail(), .drains(3),
      .drainThrows(.producer)),
    Row(
      "a reader that gives up gets nothing more, nor does the producer", .pausable(from: 8), .put(3, .buffered),
      .cancels(isNew: true, stopsProducer: true), .readThrows(.cancelled), .put(1, .gone), .finish,
      .readThrows(.cancelled), .cancels(isNew: false, stopsProducer: false)),
    Row(
      "a reader that gives up behind the producer's end does not take what came for everything", .pausable(from: 8),
      .put(3, .buffered), .finish, .cancels(isNew: true, stopsProducer: false), .readThrows(.cancelled)),
    Row(
      "a reader that has seen the end gives nothing up", .pausable(from: 8), .finish, .readsEnd,
      .cancels(isNew: false, stopsProducer: false), .readsEnd),
    Row(
      "a reader that has seen an error gives nothing up", .pausable(from: 8), .fail(), .readThrows(.producer),
      .cancels(isNew: false, stopsProducer: false), .readThrows(.producer)),
    Row(
      "a reader that gives up while its sink is called is told when the call is over", .pausable(from: 8), .drainWaits,
      .put(5, .hand), .cancels(isNew: true, stopsProducer: true), .hasNews(false, for: .drain), .drainWaits,
      .handed(.more, goesOn: false), .hasNews(true, for: .drain), .put(1, .gone), .drainThrows(.cancelled)),
    Row(
      "an end while the sink is called comes when the call is over", .bounded(by: 8), .drainWaits, .put(5, .hand),
      .fail(), .hasNews(false, for: .drain), .drainWaits, .handed(.more, goesOn: false), .hasNews(true, for: .drain),
      .drainThrows(.producer)),
    Row(
      "what the sink throws behind the end changes nothing", .bounded(by: 8), .drainWaits, .put(5, .hand), .fail(),
      .sinkThrows, .drainThrows(.producer)),
    Row(
      "no news is no news", .pausable(from: 8), .hasNews(false, for: .head), .hasNews(false, for: .bytes),
      .hasNews(false, for: .drain)),
    Row(
      "an end is news to everybody", .pausable(from: 8), .finish, .hasNews(true, for: .head),
      .hasNews(true, for: .bytes), .hasNews(true, for: .drain)),
    Row(
      "a lent sink leaves the reader's task alone", .pausable(from: 8), .drainWaits, .hasNews(false, for: .drain),
      .put(5, .hand), .handed(.more, goesOn: true), .hasNews(false, for: .drain), .put(5, .hand),
      .handed(.pause, goesOn: true), .hasNews(true, for: .drain)),
  ]

  @Test(arguments: rows)
  func `each call has its answer`(row: Row) {
    var machine = BodyChannelMachine(row.pressure)
    for (place, step) in row.steps.enumerated() {
      let found = Self.carryOut(step, &machine)
      #expect(found == nil, "step \(place), \(step): \(found ?? "")")
    }
  }

  /// - Returns: What came instead; nil when it is what must come.
  private static func carryOut(_ step: Step, _ machine: inout BodyChannelMachine) -> String? {
    func expect<Value: Equatable>(_ found: Value, _ expected: Value) -> String? {
      found == expected ? nil : "\(found)"
    }
    switch step {
    case .put(let count, let answer): return expect(machine.put(Data(count: count)), answer)
    case .handed(let demand, let goesOn): return expect(machine.handed(.success(demand)), goesOn)
    case .sinkThrows: return expect(machine.handed(.failure(SinkFailed())), false)
    case .finish: machine.finish(nil, trailers: nil, discards: false)
    case .fail(let discards): machine.finish(ProducerFailed(), trailers: nil, discards: discards)
    case .read(let count): return expect(reading { try machine.read() }, "chunk(\(count))")
    case .readsNothing: return expect(reading { try machine.read() }, "none")
    case .readsEnd: return expect(reading { try machine.read() }, "end")
    case .readThrows(let failure): return expect(reading { try machine.read() }, "\(failure)")
    case .drains(let count): return expect(draining { try machine.drain() }, "hand(\(count))")
    case .drainAwaitsSink: return expect(draining { try machine.drain() }, "awaitSink")
    case .drainWaits: return expect(draining { try machine.drain() }, "wait")
    case .drainEnds: return expect(draining { try machine.drain() }, "end")
    case .drainThrows(let failure): return expect(draining { try machine.drain() }, "\(failure)")
    case .resumes(let resumes): return expect(machine.resumesProducer(), resumes)
    case .asksToPause(let pauses): return expect(machine.pausesProducer(), pauses)
    case .cancels(let isNew, let stops):
      let answer = machine.cancel()
      return answer == (isNew, stops) ? nil : "\(answer)"
    case .isFull(let isFull): return expect(machine.isFull, isFull)
    case .hasNews(let hasNews, let news): return expect(machine.has(news), hasNews)
    }
    return nil
  }

  private static func reading(_ read: () throws -> BodyChannelMachine.Reading) -> String {
    text {
      switch try read() {
      case .chunk(let chunk): "chunk(\(chunk.count))"
      case .end: "end"
      case .none: "none"
      }
    }
  }

  private static func draining(_ drain: () throws -> BodyChannelMachine.DrainStep) -> String {
    text {
      switch try drain() {
      case .hand(let chunk): "hand(\(chunk.count))"
      case .awaitSink: "awaitSink"
      case .wait: "wait"
      case .end: "end"
      }
    }
  }

  private static func text(_ body: () throws -> String) -> String {
    do {
      return try body()
    } catch is CancellationError {
      return "cancelled"
    } catch is SinkFailed {
      return "sink"
    } catch {
      return "producer"
    }
  }

  // MARK: Heads

  @Test func `the first head counts, and none behind the end`() throws {
    let url = try #require(URL(string: "http://a.test/"))
    var machine = BodyChannelMachine(.pausable(from: 8))
    let early = try machine.takeHead()
    #expect(early == nil)
    machine.respond(ResponseHead(url: url, status: .ok))
    machine.respond(ResponseHead(url: url, status: .notFound))
    machine.finish(ProducerFailed(), trailers: nil, discards: false)
    let first = try machine.takeHead()
    #expect(first?.head.status == .ok)
  }

  @Test func `without a head the end is what a sender gets, and nothing is left to give up`() throws {
    let url = try #require(URL(string: "http://a.test/"))
    var late = BodyChannelMachine(.pausable(from: 8))
    late.finish(ProducerFailed(), trailers: nil, discards: false)
    late.respond(ResponseHead(url: url, status: .ok))
    #expect(throws: ProducerFailed.self) { try late.takeHead() }
    let (isNew, stops) = late.cancel()
    #expect(!isNew && !stops)

    var headless = BodyChannelMachine(.pausable(from: 8))
    headless.finish(nil, trailers: nil, discards: false)
    let error = #expect(throws: NetworkError.self) { try headless.takeHead() }
    #expect(error?.kind == .internal)

    var cancelled = BodyChannelMachine(.pausable(from: 8))
    cancelled.respond(ResponseHead(url: url, status: .ok))
    _ = cancelled.cancel()
    #expect(throws: CancellationError.self) { try cancelled.takeHead() }
  }

  @Test func `trailers are those of a body that ended well`() {
    var machine = BodyChannelMachine(.pausable(from: 8))
    #expect(machine.trailers == nil)
    machine.finish(nil, trailers: [.eTag: "\"a\""], discards: false)
    #expect(machine.trailers == [.eTag: "\"a\""])
    var failed = BodyChannelMachine(.pausable(from: 8))
    failed.finish(ProducerFailed(), trailers: [.eTag: "\"a\""], discards: false)
    #expect(failed.trailers == nil)
  }

  // MARK: Every order

  /// A producer and a reader that take steps in any order.
  private struct Play {
    var machine: BodyChannelMachine
    var random: Generator
    /// The next byte's value, which counts up.
    var nextPut: UInt8 = 0
    var nextRead: UInt8 = 0
    var left = 2_000
    /// Bytes that were refused, to be offered again.
    var refused: Data?
    var isProducerPaused = false
    var sinkIsHeld = false
    var isOver = false

    private mutating func bytes() -> Data {
      let count = min(left, Int(random.next() % 12) + 1)
      let bytes = Data((0..<count).map { nextPut &+ UInt8($0) })
      nextPut &+= UInt8(count)
      left -= count
      return bytes
    }

    /// Returns false when there is nothing to do for it.
    mutating func produce() -> Bool {
      guard !isProducerPaused, !machine.hasEnded else { return false }
      guard refused != nil || left > 0 else {
        machine.finish(nil, trailers: nil, discards: false)
        return true
      }
      let offered = refused ?? bytes()
      refused = nil
      switch machine.put(offered) {
      case .buffered: break
      case .hand:
        take(offered)
        let pauses = random.next() % 4 == 0
        let goesOn = machine.handed(.success(pauses ? .pause : .more))
        #expect(goesOn)
      case .full:
        refused = offered
        isProducerPaused = true
      case .gone: Issue.record("bytes were not wanted")
      }
      return true
    }

    /// Returns false when there is nothing to do for it.
    mutating func drain() throws -> Bool {
      guard !isOver else { return false }
      let step = try machine.drain()
      let resumes = machine.resumesProducer()
      if resumes { isProducerPaused = false }
      switch step {
      case .hand(let chunk): take(chunk)
      case .awaitSink: break
      case .wait: return resumes || machine.has(.drain)
      case .end: isOver = true
      }
      return true
    }

    mutating func read() throws -> Bool {
      guard !isOver else { return false }
      let reading = try machine.read()
      let resumes = machine.resumesProducer()
      if resumes { isProducerPaused = false }
      switch reading {
      case .chunk(let chunk): take(chunk)
      case .end: isOver = true
      case .none: return resumes || machine.has(.bytes)
      }
      return true
    }

    private mutating func take(_ bytes: Data) {
      for byte in bytes {
        if byte != nextRead { Issue.record("byte \(byte) came where \(nextRead) was due") }
        nextRead &+= 1
      }
    }
  }

  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }

  @Test(arguments: [false, true])
  func `in every order of 2000 plays all bytes come once, and nobody waits for good`(drains: Bool) throws {
    for seed in 0..<2_000 {
      var play = Play(
        machine: BodyChannelMachine(.pausable(from: 1 + seed % 40)), random: Generator(state: UInt64(seed)))
      while !play.isOver {
        let producesFirst = play.random.next() % 2 == 0
        let first = try producesFirst ? play.produce() : (drains ? play.drain() : play.read())
        if first { continue }
        let second = try producesFirst ? (drains ? play.drain() : play.read()) : play.produce()
        guard second else {
          Issue.record("both wait, in the play of seed \(seed)")
          return
        }
      }
      #expect(play.left == 0)
      #expect(play.nextPut == play.nextRead)
    }
  }
}
