import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Downloads that are paused, resumed, cancelled and restored in any order, over a network that fails in many ways.
@Suite(.timeLimit(.minutes(10))) struct SequenceTests {
  private static let seeds = UInt64(getenv("CURLEW_SEQUENCE_SEEDS").flatMap { Int(String(cString: $0)) } ?? 1_000)
  private let url = URL(string: "http://stub.test/f") ?? URL(filePath: "/")
  private let bytes = SeededResource(length: 20_000, seed: 9).bytes(count: 20_000)

  /// What a server may do with one request.
  private static func answer(
    _ request: Request, _ bytes: [UInt8], _ random: inout SeededRandom, fails: Bool
  ) -> StubAnswer {
    let tag = "\"v1\""
    let offset =
      request.headerFields[.ifRange] == tag
      ? request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0 : 0
    if offset >= bytes.count {
      return StubAnswer(.rangeNotSatisfiable, headerFields: [.contentRange: "bytes */\(bytes.count)", .eTag: tag])
    }
    var fields: HTTPFields = [.eTag: tag, .contentLength: "\(bytes.count - offset)"]
    if offset > 0 { fields[.contentRange] = "bytes \(offset)-\(bytes.count - 1)/\(bytes.count)" }
    let size = Int.random(in: 500...5_000, using: &random)
    var steps = stride(from: offset, to: bytes.count, by: size).flatMap { start -> [StubAnswer.Step] in
      let chunk = Data(bytes[start..<min(bytes.count, start + size)])
      return [.wait { for _ in 0..<Int.random(in: 0...20) { await Task.yield() } }, .bytes(chunk)]
    }
    guard fails else { return StubAnswer(offset > 0 ? .partialContent : .ok, headerFields: fields, body: steps) }
    let lost = NetworkError(.connectionLost, stage: .receivingBody, message: "Lost.")
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return .failing(lost)
    case 1: return .text("busy", status: .serviceUnavailable)
    case 2: fields[.contentRange] = "bytes \(offset + 1)-\(bytes.count - 1)/\(bytes.count)"
    case 3: fields[.contentRange] = "bytes \(offset)-\(bytes.count - 2)/\(bytes.count - 1)"
    case 4: return StubAnswer(.rangeNotSatisfiable, headerFields: [.contentRange: "bytes */7"])
    case 5:
      return StubAnswer(headerFields: [.eTag: tag, .contentLength: "\(bytes.count)"], body: [.bytes(Data(bytes))])
    default:
      steps = Array(steps.prefix(Int.random(in: 0...steps.count, using: &random)))
      steps.append(.failure(lost))
    }
    return StubAnswer(offset > 0 ? .partialContent : .ok, headerFields: fields, body: steps)
  }

  @Test func `any sequence of pauses, cancellations and restorations ends once, and as the right file at last`()
    async throws
  {
    for seed in 0..<Self.seeds {
      let remains = try await run(seed)
      // Whatever still ran for the download would hold its disk or its transport.
      await wait(while: remains.disk != nil || remains.transports.contains { $0.transport != nil })
      await Task.yield()
    }
  }

  /// What nothing may hold any more when all is over.
  private struct Remains {
    struct Reference { weak var transport: StubTransport? }
    weak var disk: DownloadDisk?
    var transports: [Reference] = []
  }

  private func run(_ seed: UInt64) async throws -> Remains {
    var random = SeededRandom(seed: seed)
    let site = try Site(boot: Bool.random(using: &random) ? "boot-1" : nil)
    let bytes = bytes
    var remains = Remains(disk: site.disk)
    var rounds = 0
    while site.contents() == nil {
      rounds += 1
      let fails = rounds < 6
      let server = Guarded(SeededRandom(seed: seed &* 31 &+ UInt64(rounds)))
      let stub = StubTransport { asked in
        server.withLock { Self.answer(asked.request, bytes, &$0, fails: fails && asked.index < 6) }
      }
      remains.transports.append(Remains.Reference(transport: stub))
      var configuration = site.configuration(url)
      configuration.retry = RetryPolicy(limit: Int.random(in: 0...3, using: &random), delay: .fixed(.zero))
      configuration.file.durableBytes = 4_096
      let download = Downloader(Loader(stub), configuration, on: site.disk)
      let outcomes = Guarded(0)
      let shown = Guarded<(last: Int64, isWrong: Bool)>((0, false))
      download.onFinish(on: CallbackExecutor { $0() }) { _ in outcomes.withLock { $0 += 1 } }
      download.downloadProgress.observe(on: CallbackExecutor { $0() }) { progress in
        shown.withLock { shown in
          let isBeyond = progress.total.map { progress.completed > $0 } ?? false
          shown = (progress.completed, shown.isWrong || progress.completed < shown.last || isBeyond)
        }
      }
      download.start()
      if fails {
        for _ in 0..<Int.random(in: 0...6, using: &random) {
          for _ in 0..<Int.random(in: 0...200, using: &random) { await Task.yield() }
          switch Int.random(in: 0..<12, using: &random) {
          case 0..<5: download.pause()
          case 5..<10: download.resume()
          case 10: download.cancel()
          default: download.cancel(keepingPartial: Bool.random(using: &random))
          }
        }
        // What is still paused has no reason to go on by itself.
        if Bool.random(using: &random) { download.cancel() }
      }
      download.resume()
      await download.settled()
      let outcome = try #require(download.outcome)
      #expect(outcomes.withLock { $0 } == 1, "seed \(seed)")
      #expect(!shown.withLock { $0.isWrong }, "seed \(seed): progress went back or beyond its total")
      #expect(site.memory.openFiles == 0, "seed \(seed): a file is open")
      #expect(stub.inFlightCount == 0, "seed \(seed): a request is under way")
      let found = site.contents()
      #expect(found == nil || found == bytes, "seed \(seed): a wrong file")
      if case .success(let result) = outcome { #expect(result.length == 20_000 && found == bytes, "seed \(seed)") }
      guard rounds < 20 else {
        Issue.record("seed \(seed): no end after 20 rounds: \(String(describing: outcome.error))")
        return remains
      }
    }
    #expect(try site.names() == ["file.bin"], "seed \(seed)")
    return remains
  }
}
