import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewOperations
import CurlewSerialization
import CurlewTestHarness
import CurlewTestSupport
import Foundation
import Glibc
import HTTPTypes
import Testing

/// Pauses itself wherever it is told to; the transport waits for the step, so it never runs past.
// Safe because its state is guarded.
private final class PausingOperation: HTTPRequestOperation, @unchecked Sendable {
  private let places = Guarded<[Int64]>([])

  func pause(at places: [Int64]) { self.places.withLock { $0 = places } }

  override func didReceive(_ data: Data) {
    super.didReceive(data)
    let completed = downloadProgress.completed
    let isDue = places.withLock { places in
      guard let next = places.first, completed >= next else { return false }
      places.removeFirst()
      return true
    }
    if isDue { pause() }
  }
}

/// A long download from a server that nobody here wrote, paused and resumed many times.
@Suite(.enabled(if: NginxEndpoint.isAvailable, "nginx is not installed"), .timeLimit(.minutes(10)))
struct NginxPauseTests {
  /// `Scripts/soak` asks for 256.
  private static let megabytes = getenv("CURLEW_PAUSED_MEGABYTES").flatMap { Int(String(cString: $0)) } ?? 32
  private static let pauses = 20

  @Test func `paused twenty times, a download has the same bytes and asks for each rest at its place`() async throws {
    let length = Self.megabytes << 20
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-paused-\(UInt64.random(in: 0 ... .max))"
    try LocalFileSystem().createDirectory(folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let whole = Data(SeededResource(length: Int64(length), seed: 9).bytes(count: length))
    try whole.write(to: URL(filePath: folder + "/f"))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder + "/f")
    let nginx = try NginxFolder(folder)
    defer { nginx.stop() }
    let transport = try CurlTransport()
    let operation = PausingOperation(
      Request(.get, nginx.url("/f")), over: Loader(transport),
      DataResponseSerializer(validation: ResponseValidation(maximumBytes: length)))
    operation.pause(at: (1...Self.pauses).map { Int64(length) * Int64($0) / Int64(Self.pauses + 1) })
    operation.start()
    var places: [Int64] = []
    for _ in 1...Self.pauses {
      await Fixture.wait(while: !operation.isPaused)
      await operation.halted()
      places.append(operation.downloadProgress.completed)
      operation.resume()
    }
    #expect(try await operation.value(as: Data.self) == whole)
    #expect(places.count == Self.pauses)
    let ranges = operation.attempts.map { $0.request?.headerFields[.range] ?? "all" }
    #expect(ranges == ["all"] + places.map { "bytes=\($0)-" })
    #expect(operation.downloadProgress.completed == length && operation.downloadProgress.total == Int64(length))
    await transport.shutdown()
    // The origin's count: beyond what was kept, each attempt was sent what the two sockets hold, and no more.
    await Fixture.wait(while: nginx.bytesSent.count <= Self.pauses)
    let sent = nginx.bytesSent
    let kept = zip(places + [Int64(length)], [0] + places).map { $0 - $1 }
    let inFlight = zip(sent, kept).map { $0 - $1 }
    #expect(inFlight.count == Self.pauses + 1 && inFlight.last == 0)
    #expect(inFlight.allSatisfy { (0...Self.socketBuffers).contains($0) }, "\(inFlight)")
    // What the process itself has read and thrown away.
    let read = operation.attempts.map { $0.metrics.reduce(0) { $0 + $1.bytesReceived } }
    let thrownAway = zip(read, kept).map { $0 - $1 }
    #expect(thrownAway.allSatisfy { (0...262_144).contains($0) }, "\(thrownAway)")
    let most = inFlight.max() ?? 0
    print(
      "figure: \(length) bytes, \(places.count) pauses, at most \(most) bytes in flight at one,",
      "\(thrownAway.max() ?? 0) of them read, \(sent.reduce(0, +)) sent"
    )
  }

  /// The most that the kernel holds of a connection on both sides, bytes.
  private static var socketBuffers: Int64 {
    ["rmem", "wmem"].map { name in
      let text = (try? String(contentsOfFile: "/proc/sys/net/ipv4/tcp_\(name)", encoding: .utf8)) ?? ""
      return text.split(whereSeparator: \.isWhitespace).last.flatMap { Int64($0) } ?? 0
    }.reduce(0, +)
  }
}
