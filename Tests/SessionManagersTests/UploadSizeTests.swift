import CurlewCore
import CurlewLoading
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import Foundation
import Glibc
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

/// Large uploads, in processes of their own, so that their memory can be measured.
@Suite(.timeLimit(.minutes(10))) struct UploadSizeTests {
  /// The size of the uploads; `CURLEW_UPLOAD_MEGABYTES` sets another one.
  private static let megabytes =
    ProcessInfo.processInfo.environment["CURLEW_UPLOAD_MEGABYTES"].flatMap { Int($0) } ?? 48

  /// The peak memory of this process in MB.
  private static func peak() throws -> Double {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? .infinity) / 1024
  }

  @Test(
    .enabled(if: getenv("CURLEW_SANITIZER") == nil, "A sanitizer's own memory is measured with it."),
    arguments: ["file", "form"])
  func `an upload of any size takes constant memory, and is told as sent before the response and as final after it`(
    _ kind: String
  ) async throws {
    var options = OriginOptions()
    options.bodyBytesKept = 0
    let origin = try await ScriptedOrigin.start(options) { request in
      _ = await request.body()
      return .ok("\(request["Content-Length"] ?? "") \(request.bodyLength)")
    }
    try await Fixture.withDirectory { directory in
      let path = directory + "/up"
      let length = Int64(Self.megabytes) << 20
      let file = try LocalFileSystem().open(path, [.write, .create])
      try file.truncate(to: length)
      try file.close()
      let url = origin.url("/up")
      await #expect(processExitsWith: .success) {
        [kind = kind as String, path = path as String, url = url as URL, length = length as Int64] in
        try await Self.upload(kind, path, url, length)
      }
    }
    await origin.stop()
  }

  private static func upload(_ kind: String, _ path: String, _ url: URL, _ length: Int64) async throws {
    let manager = Fixture.manager(Carrier.curl.configuration, as: HTTPSessionManager.self)
    manager.responseSerializer = .data
    let (log, snapshots) = (Collected<String>(), Collected<TransferProgress>())
    manager.hooks.dataTaskDidReceiveResponse = { _, _, _ in
      log.append("response")
      return .allow
    }
    let progress: URLSessionManager.ProgressHandler = { progress in
      snapshots.append(progress)
      if progress.completed == progress.total { log.append(progress.isFinal ? "final" : "sent") }
    }
    // The first request loads what any request needs.
    _ = await manager.ended(Request(.get, url))
    let before = try peak()
    let task =
      try kind == "file"
      ? manager.uploadTask(
        with: Request(.put, url), fromFile: URL(filePath: path), progress: progress, completion: { _, _, _ in })
      : manager.uploadTask(
        .post, url.absoluteString, ["title": "curlew"],
        multipart: { try $0.append(file: URL(filePath: path), name: "f") },
        progress: progress)
    let answer = String(decoding: try #require(try await task.run() as? Data), as: UTF8.self)
    await Fixture.drain(manager.callbackQueue)
    let sent = answer.split(separator: " ").compactMap { Int64($0) }
    #expect(sent.count == 2 && sent[0] == sent[1] && sent[0] >= length, "announced and received: \(answer)")
    #expect(log.all == ["response", "sent", "response", "final"])
    let ends = snapshots.all.filter(\.isFinal)
    #expect(ends.map(\.completed) == [sent.first] && ends.first?.fraction == 1)
    #expect(zip(snapshots.all, snapshots.all.dropFirst()).allSatisfy { $0.completed <= $1.completed })
    let grown = try peak() - before
    FileHandle.standardError.write(
      Data("figure: \(kind) of \(length >> 20) MB: \(grown) MB of memory, \(snapshots.all.count) snapshots\n".utf8))
    #expect(grown < 12, "\(grown) MB")
  }
}
