import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

/// Uploads to a server that is stopped for two seconds during the upload.
struct StalledUpload: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stalled-upload", abstract: "An upload to a server that stops reading for 2 s.")

  @Argument(help: "Takes uploads.") var url: String
  @Argument(help: "The process to stop, and to let go on.") var server: Int32

  private final class Zeros: BodyChunks {
    private let left: Mutex<Int>
    init(_ count: Int) { left = Mutex(count) }
    func next() async throws -> Data? {
      left.withLock { left -> Data? in
        guard left > 0 else { return nil }
        left -= 65_536
        return Data(count: 65_536)
      }
    }
  }

  func run() async throws {
    let transport = try CurlTransport()
    var report = Report("stalled upload to \(url.prefix(5))")
    let megabytes = 400
    var request = try Request(.post, url)
    request.body = .stream(length: Int64(megabytes) << 20, replayable: true) { Zeros(megabytes << 20) }
    let upload = request
    async let answer = transport.send(upload, in: Exchange(AcceptingTrust.settings))
    try await Task.sleep(for: .milliseconds(300))
    kill(server, SIGSTOP)
    try await Task.sleep(for: .milliseconds(300))
    let before = (ProcessFigures.wakeUps(ofThreads: "curlew-curl"), ProcessFigures.cpu)
    try await Task.sleep(for: .seconds(2))
    let wakeUps = ProcessFigures.wakeUps(ofThreads: "curlew-curl") - before.0
    let cpu = (ProcessFigures.cpu - before.1) * 1000
    kill(server, SIGCONT)
    let response = try await answer
    _ = try await response.body.collect(upTo: 1 << 20)
    report.promise(response.head.status.code == 200, "status \(response.head.status.code)")
    report.promise(wakeUps < 200, "\(wakeUps) wake-ups (< 200)")
    report.promise(cpu < 50, "\(cpu.short) ms CPU (< 50)")
    await transport.shutdown()
    try report.finish()
  }
}
