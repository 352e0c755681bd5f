import CurlewCore
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import Foundation
import Glibc
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

/// Large uploads, in processes of their own, so that their memory can be measured.
///
/// Each process has the server too: swift-testing waits for a child process on a thread of Swift's pool, so a machine with two cores
/// has none left for a server in the process of the tests while two children run.
@Suite(.timeLimit(.minutes(10))) struct UploadSizeTests {
  /// The size of the uploads in MB; `CURLEW_UPLOAD_MEGABYTES` sets another one.
  private static let megabytes =
    ProcessInfo.processInfo.environment["CURLEW_UPLOAD_MEGABYTES"].flatMap { Int($0) } ?? 32

  @Test(
    .enabled(if: getenv("CURLEW_SANITIZER") == nil, "A sanitizer's own memory is measured with it."),
    // A form of files is a stream, which URLSessionTransport does not send.
    arguments: [(Carrier.curl, "file"), (.curl, "form"), (.urlSession, "file")])
  func `a large upload takes little memory, and its progress is whole once, before the response`(
    _ carrier: Carrier, _ kind: String
  ) async throws {
    let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [carrier = carrier.rawValue as String, kind = kind as String] in
      do {
        try await Self.run(carrier, kind)
      } catch {
        // A child that throws would end by a signal, without saying why.
        Issue.record(error)
      }
    }
    print(String(decoding: child?.standardErrorContent ?? [], as: UTF8.self))
  }

  /// Starts a server, makes a file and uploads it, all in this process.
  private static func run(_ carrier: String, _ kind: String) async throws {
    let carrier = try #require(Carrier(rawValue: carrier))
    var options = OriginOptions()
    options.bodyBytesKept = 0
    let origin = try await ScriptedOrigin.start(options) { request in
      _ = await request.body()
      return .ok("\(request["Content-Length"] ?? "") \(request.bodyLength)")
    }
    try await Fixture.withDirectory { directory in
      let path = directory + "/up"
      let file = try LocalFileSystem().open(path, [.write, .create])
      try file.truncate(to: Int64(megabytes) << 20)
      try file.close()
      try await upload(kind, URL(filePath: path), carrier, to: origin.url("/up"))
    }
    await origin.stop()
  }

  private static func upload(_ kind: String, _ file: URL, _ carrier: Carrier, to url: URL) async throws {
    let manager = Fixture.manager(carrier.configuration, as: HTTPSessionManager.self)
    manager.responseSerializer = .data
    let (log, snapshots) = (Collected<String>(), Collected<TransferProgress>())
    // The first upload loads what any upload needs.
    _ = await manager.ended(Request(.put, url, body: .bytes(Data(count: 1 << 20))))
    manager.hooks.taskDidSendBodyData = { _, _, _, sent, expected in if sent == expected { log.append("sent") } }
    manager.hooks.dataTaskDidReceiveResponse = { _, _, _ in
      log.append("response")
      return .allow
    }
    let progress: URLSessionManager.ProgressHandler = { progress in
      snapshots.append(progress)
      if progress.fraction == 1 || progress.isFinal { log.append("whole") }
    }
    let before = try peak()
    let task =
      try kind == "file"
      ? manager.uploadTask(with: Request(.put, url), fromFile: file, progress: progress, completion: { _, _, _ in })
      : manager.uploadTask(
        .post, url.absoluteString, ["title": "curlew"], multipart: { try $0.append(file: file, name: "f") },
        progress: progress)
    let answer = String(decoding: try #require(try await task.value as? Data), as: UTF8.self)
    await Fixture.drain(manager.callbackQueue)
    let sent = answer.split(separator: " ").compactMap { Int64($0) }
    #expect(
      sent.count == 2 && sent[0] == sent[1] && sent[0] >= Int64(Self.megabytes) << 20, "announced, received: \(answer)")
    #expect(log.all.filter { $0 == "sent" }.count == 1 && log.all.last == "response", "\(log.all)")
    #expect(log.all.filter { $0 == "whole" }.count == 1 && log.all.count == 3, "\(log.all)")
    #expect(snapshots.all.last?.isFinal == true && snapshots.all.last?.completed == sent.first)
    #expect(zip(snapshots.all, snapshots.all.dropFirst()).allSatisfy { $0.completed < $1.completed })
    let grown = try peak() - before
    let figure = "\(kind) of \(megabytes) MB over \(carrier): \(grown) MB of memory, \(snapshots.all.count) snapshots"
    FileHandle.standardError.write(Data("figure: \(figure)\n".utf8))
    // Over Foundation it grows by 1.5 % of the file here, where the server is in the same process. A program of its own takes 9 MB
    // more for 256 MB as for 2 GB, as one of Foundation's alone does.
    #expect(grown < (carrier == .urlSession ? 12 + Double(Self.megabytes) / 32 : 12), "\(figure)")
  }

  /// The peak memory of this process in MB.
  private static func peak() throws -> Double {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? .infinity) / 1024
  }
}
