import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Whole downloads over sockets, each with a seeded plan of what goes wrong with its requests.
///
/// A failure names its seed; `CURLEW_FAULT_RUNS` sets the number of runs.
@Suite(.timeLimit(.minutes(15))) struct NetworkFaultTests {
  private static let runs = UInt64(getenv("CURLEW_FAULT_RUNS").flatMap { Int(String(cString: $0)) } ?? 60)

  @Test func `whatever fails with the requests, the right file is there at last`() async throws {
    try await Carrier.curl.withLoader { loader in
      for seed in 0..<Self.runs { try await FaultyDownload(seed, mayStall: true).run(over: loader) }
    }
  }

  /// Foundation's timeout is of whole seconds, so that nothing stalls here.
  @Test func `whatever fails with the requests over URLSession, the right file is there at last`() async throws {
    try await Carrier.urlSession.withLoader { loader in
      for seed in 0..<(Self.runs / 4) { try await FaultyDownload(seed, mayStall: false).run(over: loader) }
    }
  }
}

/// A download that is begun again and again until its file is there, while a plan of faults is carried out.
private final class FaultyDownload: Sendable {
  private struct Plan {
    var faults: [NetworkFault]
    /// The versions of the file at the server, the newest last.
    var versions: [SeededResource]
    var requests = 0
  }

  private static let mostRounds = 20
  private let seed: UInt64
  private let site: Site
  private let files: FailingFileSystem
  private let clock = JumpingClock()
  private let disk: DownloadDisk
  private let mayStall: Bool
  private let plan: Guarded<Plan>

  init(_ seed: UInt64, mayStall: Bool) throws {
    self.seed = seed
    self.mayStall = mayStall
    var random = SeededRandom(seed: seed)
    site = try Site()
    files = FailingFileSystem(over: site.memory)
    disk = DownloadDisk(files, clock: clock, boot: { "a" })
    let resource = SeededResource(length: Int64.random(in: 1...300_000, using: &random), seed: seed)
    let faults = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      NetworkFault.random(resource.length, mayStall: mayStall, &random)
    }
    plan = Guarded(Plan(faults: faults, versions: [resource]))
  }

  func run(over loader: Loader) async throws {
    let origin = try await ScriptedOrigin.start { [self] in reply(to: $0) }
    var random = SeededRandom(seed: seed ^ 0xFA11)
    var rounds = 0
    while true {
      rounds += 1
      let download = Downloader(loader, configuration(origin.url("/f"), &random), on: disk)
      let isMonotonic = Guarded<(last: Int64, holds: Bool)>((0, true))
      download.downloadProgress.observe(on: CallbackExecutor { $0() }) { progress in
        isMonotonic.withLock { shown in
          let isWithin = progress.total.map { progress.completed <= $0 } ?? true
          shown = (progress.completed, shown.holds && progress.completed >= shown.last && isWithin)
        }
      }
      let outcome = await download.outcomeOfRun
      await download.settled()
      let faults = plan.withLock { $0.faults }
      #expect(isMonotonic.withLock { $0.holds }, "seed \(seed): progress went back or beyond its total; \(faults)")
      check(outcome, faults)
      // A disk whose call failed may still say that the file is not durable when it has its name already.
      if site.contents() != nil { break }
      files.heal()
      guard rounds < Self.mostRounds else {
        Issue.record("seed \(seed): no end: \(String(describing: outcome.error)); \(faults)")
        break
      }
    }
    await origin.stop()
    let names = try site.names()
    #expect(names == ["file.bin"] || files.calls.contains { $0.code != nil }, "seed \(seed): \(names)")
  }

  private func configuration(_ url: URL, _ random: inout SeededRandom) -> DownloadConfiguration {
    var request = Request(.get, url)
    if mayStall { request.options.timeouts = Timeouts(idle: .milliseconds(150)) }
    var configuration = DownloadConfiguration(request, to: .file(Site.path))
    configuration.retry = RetryPolicy(limit: Int.random(in: 0...3, using: &random), delay: .fixed(.zero))
    configuration.retry?.startsOverWithProgress = Bool.random(using: &random)
    configuration.file.durableBytes = 50_000
    var settings = ExchangeSettings()
    settings.clock = clock
    configuration.settings = settings
    return configuration
  }

  /// Whatever happened, there is no other file than the right one, no open file, and what is kept is right.
  private func check(_ outcome: TransferOutcome<DownloadResult>, _ faults: [NetworkFault]) {
    let versions = plan.withLock { $0.versions }
    let comment: Comment = "seed \(seed): \(String(describing: outcome.error)); \(faults)"
    #expect(site.memory.openFiles == 0, comment)
    if let error = outcome.error {
      #expect(error is NetworkError, comment)
      if let kept = site.kept() {
        #expect(versions.contains { $0.bytes(count: kept.count) == kept }, comment)
      }
    }
    if let found = site.contents() {
      #expect(versions.contains { $0.bytes(count: Int($0.length)) == found }, comment)
      if case .success(let result) = outcome { #expect(result.length == Int64(found.count), comment) }
    }
  }

  private func reply(to request: OriginRequest) -> OriginReply {
    let (fault, resource) = plan.withLock { plan -> (NetworkFault?, SeededResource) in
      let fault = plan.requests < plan.faults.count ? plan.faults[plan.requests] : nil
      plan.requests += 1
      let newest = plan.versions[plan.versions.count - 1]
      guard fault == .changedFile else { return (fault, newest) }
      let next = SeededResource(length: newest.length + 1, seed: newest.seed &+ 1_000_000)
      plan.versions.append(next)
      return (fault, next)
    }
    switch fault {
    case .fullDisk(let bytes): files.fill(after: bytes)
    case .failingCall(let call): files.fail(FileFault(nil, call: call))
    case .clockJump(let seconds, let date): clock.jump(.seconds(seconds), date: date)
    default: break
    }
    return fault?.reply(to: request, resource) ?? resource.reply(to: request)
  }
}
