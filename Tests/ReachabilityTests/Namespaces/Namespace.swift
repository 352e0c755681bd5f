import CurlewCore
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CurlewReachability

/// The network namespace that `Scripts/reachability` runs these tests in: nobody else changes anything there.
///
/// `cp0` leads to another namespace, in which 192.0.2.2 answers HTTP on port 8080. The resolver is an address that never
/// answers.
enum Namespace {
  static let isHere = getenv("CURLEW_NAMESPACE") != nil
  static let advice: Comment = "run Scripts/reachability, which makes network namespaces where that is permitted"
  static let route = "route add default via 192.0.2.2"

  struct Failure: Error {
    var lines: [String]
    var status: Int32
  }

  /// Carries out `ip` commands, in order.
  static func ip(_ lines: [String]) async throws {
    let file = FileManager.default.temporaryDirectory.path + "/curlew-ip-\(UInt64.random(in: 0 ... .max))"
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let path = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first { PeerProgram.isAvailable($0) } ?? "/usr/sbin/ip"
    let (status, _) = try await PeerProgram.output(["-batch", file], of: path)
    guard status == 0 else { throw Failure(lines: Array(lines.prefix(9)), status: status) }
  }

  static func ip(_ lines: String...) async throws { try await ip(lines) }

  /// Puts everything back: the cable up with an IPv4 address, and no route to the internet.
  static func reset() async throws {
    try await ip("link set cp0 down", "address flush dev cp0")
    try await ip("link set cp0 up", "address add 192.0.2.1/24 dev cp0")
  }
}

/// A monitor under test, what it told and when, and what a second socket heard of the kernel and when.
final class Watch: Sendable {
  typealias Instant = ContinuousClock.Instant

  let monitor: ReachabilityMonitor
  let log: RecordedBatches
  private let told = Guarded<[(instant: Instant, path: NetworkPath)]>([])
  private let heard = Guarded<[(instant: Instant, content: NetlinkMessage.Content)]>([])
  private let socket: NetlinkSocket
  private let isOver = Guarded(false)
  private let reading = Guarded<Task<Void, Never>?>(nil)

  /// Starts everything.
  init(
    _ target: ReachabilityTarget = .defaultRoute,
    _ change: (inout ReachabilityMonitor.Configuration) -> Void = { _ in }
  ) throws {
    let log = RecordedBatches()
    self.log = log
    var configuration = ReachabilityMonitor.Configuration()
    configuration.record = { log.append($0) }
    change(&configuration)
    monitor = ReachabilityMonitor(target, configuration: configuration)
    socket = try NetlinkSocket(receiveBuffer: 4 << 20)
    guard MonitorThread.start("curlew-witness", { [self] in hear() }) else { return }
    monitor.start()
    let changes = monitor.changes()
    reading.withLock { reading in
      reading = Task { [weak self] in
        for await path in changes { self?.told.withLock { $0.append((.now, path)) } }
      }
    }
  }

  /// Ends everything and returns what was recorded.
  func end() -> NetlinkRecording {
    monitor.stop()
    isOver.withLock { $0 = true }
    socket.wake()
    reading.withLock { $0.take() }?.cancel()
    return NetlinkRecording(log.all)
  }

  /// What was told so far, in few words.
  var summaries: [String] { told.withLock { $0.map(\.path.summary) } }

  /// When it was told last.
  var lastTold: Instant? { told.withLock { $0.last?.instant } }

  /// Whether the last that was told, and what the monitor says when it is asked, becomes this.
  func comes(_ summary: String) async -> Bool {
    await ProcessLook.settles { summaries.last == summary && monitor.path.summary == summary }
  }

  /// When the kernel said something last, as the second socket heard it.
  func lastHeard(_ isMeant: (NetlinkMessage.Content) -> Bool) -> Instant? {
    heard.withLock { $0.last { isMeant($0.content) }?.instant }
  }

  func forget() {
    heard.withLock { $0 = [] }
  }

  private func hear() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while !isOver.withLock({ $0 }) {
      guard case .bytes(let count) = socket.read(into: buffer, waits: true) else { continue }
      let instant = Instant.now
      let messages = NetlinkReader.messages(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      heard.withLock { $0 += messages.map { (instant, $0.content) } }
    }
    socket.close()
  }
}

/// What a monitor recorded.
final class RecordedBatches: Sendable {
  private let batches = Guarded<[NetlinkRecording.Batch]>([])
  func append(_ batch: NetlinkRecording.Batch) { batches.withLock { $0.append(batch) } }
  var all: [NetlinkRecording.Batch] { batches.withLock { $0 } }
}
