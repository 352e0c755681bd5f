import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

/// Uploads of files from a disk that is slow, or does not answer.
@Suite(.timeLimit(.minutes(10))) struct FileUploadTests {
  private static let bytes = BytePattern.seeded(5).bytes(from: 0, count: 700_000)

  /// An origin that keeps what it gets, a transport on a held disk, and a file as a body.
  private func with(
    _ files: HeldFiles, perOrigin: Int = 4,
    _ work: (CurlTransport, ScriptedOrigin, Body) async throws -> Void
  ) async throws {
    let path = "/tmp/curlew-upload-" + String(UInt64.random(in: .min ... .max), radix: 36)
    defer { unlink(path) }
    try Data(Self.bytes).write(to: URL(filePath: path))
    let origin = try await ScriptedOrigin.start { request in .ok("\(await request.body().count)") }
    var configuration = CurlTransport.Configuration()
    configuration.files = files
    configuration.requestsPerOrigin = perOrigin
    let transport = try CurlTransport(configuration)
    try await work(transport, origin, try .file(URL(filePath: path)))
    files.letGo()
    await transport.shutdown()
    await origin.stop()
  }

  @Test(arguments: [HeldFiles.Call.open, .read])
  func `a disk that does not answer holds up its own upload alone`(call: HeldFiles.Call) async throws {
    let files = HeldFiles(holding: call)
    try await with(files) { transport, origin, body in
      let upload = Task { try await transport.send(Request(.put, origin.url("/file"), body: body), in: Exchange()) }
      try await files.reached.wait()
      for number in 0..<3 {
        let other = try await transport.send(Request(.get, origin.url("/\(number)")), in: Exchange())
        #expect(try await other.body.collect(upTo: 10) == Data("0".utf8))
      }
      files.letGo()
      #expect(try await upload.value.body.collect(upTo: 10) == Data("700000".utf8))
      #expect(origin.requests.first { $0.path == "/file" }?.received == Self.bytes)
    }
  }

  @Test(arguments: [HeldFiles.Call.open, .read])
  func `an upload that is cancelled while its disk does not answer gives its place back`(
    call: HeldFiles.Call
  ) async throws {
    let files = HeldFiles(holding: call)
    try await with(files, perOrigin: 1) { transport, origin, body in
      let upload = Task { try await transport.send(Request(.put, origin.url("/file"), body: body), in: Exchange()) }
      try await files.reached.wait()
      let second = Task { try await transport.send(Request(.get, origin.url("/second")), in: Exchange()) }
      upload.cancel()
      await #expect(throws: CancellationError.self) { try await upload.value }
      #expect(try await second.value.head.status == .ok)
      files.letGo()
      // What is open by now is closed again and not sent.
      #expect(try await transport.send(Request(.get, origin.url("/third")), in: Exchange()).head.status == .ok)
      #expect(origin.requests.allSatisfy { $0.path != "/file" || !$0.isComplete })
    }
  }

  @Test func `a file that is not open in time fails the upload with a file error`() async throws {
    let files = HeldFiles(holding: .open)
    try await with(files) { transport, origin, body in
      var request = Request(.put, origin.url("/file"), body: body)
      request.options.timeouts.idle = .milliseconds(100)
      let error = await #expect(throws: NetworkError.self) { try await transport.send(request, in: Exchange()) }
      #expect(error?.kind == .fileError)
      #expect(error?.maybeProcessed == false)
      #expect(origin.requests.isEmpty)
    }
  }

  @Test func `however many files are sent at once, a transport reads them on a few threads`() async {
    await #expect(processExitsWith: .success) {
      let answers = ManualGate()
      let origin = try await ScriptedOrigin.start { request in
        let count = await request.body().count
        try? await answers.wait()
        return .ok("\(count)")
      }
      let path = "/tmp/curlew-upload-" + String(UInt64.random(in: .min ... .max), radix: 36)
      defer { unlink(path) }
      try Data(repeating: 7, count: 300_000).write(to: URL(filePath: path))
      var configuration = CurlTransport.Configuration()
      configuration.requestsPerOrigin = 24
      let transport = try CurlTransport(configuration)
      let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
        for number in 0..<24 {
          let request = Request(.put, origin.url("/\(number)"), body: try .file(URL(filePath: path)))
          group.addTask { try await transport.send(request, in: Exchange()).body.collect(upTo: 10) }
        }
        try await answers.waitForArrivals(24)
        let names = try LocalFileSystem().list("/proc/self/task").compactMap { task in
          try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
        }
        #expect((1...4).contains(names.count { $0 == "curlew-disk\n" }), "\(names)")
        answers.open()
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(bodies == Array(repeating: Data("300000".utf8), count: 24))
      await transport.shutdown()
      await origin.stop()
    }
  }

  @Test func `a transport can be shut down while a disk does not answer`() async throws {
    let files = HeldFiles(holding: .open)
    try await with(files) { transport, origin, body in
      let upload = Task { try await transport.send(Request(.put, origin.url("/file"), body: body), in: Exchange()) }
      try await files.reached.wait()
      await transport.shutdown()
      let error = await #expect(throws: NetworkError.self) { try await upload.value }
      #expect(error?.kind == .transportShutDown)
    }
  }
}
