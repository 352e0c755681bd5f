import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Random servers, random delegates, cancelled at random: the contract holds. A failure names its seed.
///
/// `CURLEW_RUNS=100000,2000` runs so many on the stub and over sockets; `CURLEW_SEED=n` begins with another seed.
@Suite(.timeLimit(.minutes(10))) struct ConnectionPropertyTests {
  private static let numbers = (ProcessInfo.processInfo.environment["CURLEW_RUNS"] ?? "3000,50").split(separator: ",")
    .compactMap { Int($0) }
  private static let first = UInt64(ProcessInfo.processInfo.environment["CURLEW_SEED"] ?? "") ?? 1
  private static let tasks = 8

  private static func runs(
    _ count: Int, _ run: @escaping @Sendable (UInt64) async throws -> ConnectionRun.Report
  ) async throws -> ConnectionRun.Tally {
    try await withThrowingTaskGroup(of: ConnectionRun.Tally.self) { group in
      for task in 0..<tasks {
        group.addTask {
          var tally = ConnectionRun.Tally()
          for number in stride(from: task, to: count, by: tasks) {
            let seed = first &+ UInt64(number)
            tally.take(try await run(seed), seed: seed)
          }
          return tally
        }
      }
      return try await group.reduce(into: ConnectionRun.Tally()) { $0.add($1) }
    }
  }

  /// Half of them over the interceptors that apps use, half over those that ask the most.
  private static func loader(_ transport: any Transport, _ seed: UInt64) -> Loader {
    guard seed.isMultiple(of: 2) else { return Loader(transport, interceptors: Asking.chain) }
    let chain = InterceptorChain(
      redirect: Redirect(), cookies: Cookies(MemoryCookieJar()), authentication: Authentication(),
      caching: Caching(MemoryCacheStore()))
    return Loader(transport, chain: chain)
  }

  @Test func `on the stub no run violates the contract`() async throws {
    let count = Self.numbers.first ?? 3_000
    let tally = try await Self.runs(count) { seed in
      let clock = ManualClock()
      let script = ServerScript(seed: seed)
      let stub = StubTransport { asked in
        let path = asked.request.url.path
        return script.answer(
          Int(path.split(separator: "/").last ?? "") ?? 0, path: path,
          isAuthorized: asked.request.headerFields[.authorization] != nil)
      }
      var run = ConnectionRun(seed: seed, clock: clock, base: "http://stub.test")
      var report = try await run.carryOut(Self.loader(stub, seed), script, advances: true)
      if stub.inFlightCount != 0 { report.violations.append("\(stub.inFlightCount) in flight") }
      // A cancelled one may still be about to end.
      await Fixture.wait(while: clock.sleeperCount > 0)
      return report
    }
    tally.show("stub", count, Self.first)
    #expect(tally.violations.isEmpty, "\(tally.violations.prefix(5))")
    #expect(tally.violationCount == 0)
    #expect(tally.isDiverse, "\(tally.counts)")
  }

  @Test func `over sockets no run violates the contract`() async throws {
    let count = Self.numbers.dropFirst().first ?? 50
    let origin = try await ScriptedOrigin.start { request in
      let parts = request.path.split(separator: "/")
      guard parts.count == 2, let seed = UInt64(parts[0]), let hop = Int(parts[1]) else { return .status(404) }
      return ServerScript(seed: seed).reply(hop, path: request.path, isAuthorized: request["Authorization"] != nil)
    }
    let transport = try CurlTransport()
    let base = "http://127.0.0.1:\(origin.port)"
    let tally = try await Self.runs(count) { seed in
      var run = ConnectionRun(seed: seed, clock: ManualClock(), base: base)
      return try await run.carryOut(
        Self.loader(transport, seed), ServerScript(seed: seed), advances: false)
    }
    tally.show("sockets", count, Self.first)
    #expect(tally.violations.isEmpty, "\(tally.violations.prefix(5))")
    #expect(tally.violationCount == 0)
    await transport.shutdown()
    await origin.stop()
  }
}
