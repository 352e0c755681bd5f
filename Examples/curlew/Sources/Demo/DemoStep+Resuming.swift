import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes

extension DemoStep {
  static let pausedDownload = DemoStep(
    title: "A download that is paused and resumed.",
    explanation:
      "After a third it is paused, which gives the connection up. Resumed, it asks for the rest alone, of the same version."
  ) { stage in
    let path = stage.folder + "/island.bin"
    let request = Request(.get, stage.origin.url("/island.bin"))
    let download = Downloader(stage.loader, request, to: .file(path))
    download.start()
    for await progress in download.downloadProgress where progress.completed > DemoOrigin.fileSize / 3 { break }
    download.pause()
    await download.halted()
    let kept = download.file.completed
    try expect(kept > 0 && kept < DemoOrigin.fileSize, "\(kept) bytes were kept")
    try expect(!(try stage.files().contains("island.bin")), "the file appeared before it was complete")
    download.resume()
    _ = try await download.run()
    try stage.expectResumed("/island.bin", at: kept)
    try expect(try stage.digest(of: path) == DemoOrigin.digest(seed: 4, count: DemoOrigin.fileSize), "the bytes differ")
    return "paused at \(DecimalText.bytes(kept)); then \"Range: bytes=\(kept)-\"; the SHA-256 is the origin's."
  }

  static let killedDownload = DemoStep(
    title: "A download that is killed and resumed.",
    explanation:
      "Another process runs \"curlew get --resume\" and is killed with SIGKILL. This process goes on with what it left."
  ) { stage in
    let path = stage.folder + "/coast.bin"
    let url = stage.origin.url("/coast.bin")
    let child = try ChildTool(["get", "--resume", "--progress", "none", "-o", path, url.absoluteString])
    let part = stage.folder + "/.coast.bin.curlew-part"
    for _ in 0..<1_000 {
      if try LocalFileSystem().status(part)?.length ?? 0 > DemoOrigin.fileSize / 3 { break }
      try await SystemClock().sleep(until: .now + .milliseconds(10))
    }
    child.kill()
    try expect(!(try stage.files().contains("coast.bin")), "the file appeared before it was complete")
    let result = try await Downloader(stage.loader, Request(.get, url), to: .file(path)).run()
    try expect(result.resumedFrom > DemoOrigin.fileSize / 3, "it went on at byte \(result.resumedFrom)")
    try stage.expectResumed("/coast.bin", at: result.resumedFrom)
    try expect(try stage.digest(of: path) == DemoOrigin.digest(seed: 4, count: DemoOrigin.fileSize), "the bytes differ")
    try expect(try stage.files().allSatisfy { !$0.contains("curlew-") }, "a part was left behind")
    return "killed after \(DecimalText.bytes(result.resumedFrom)); the rest was fetched, the SHA-256 is the origin's."
  }
}

extension DemoStage {
  /// Throws unless the last request for a path requested the rest.
  func expectResumed(_ path: String, at offset: Int64) throws(DemoError) {
    let ranges = origin.requests.filter { $0.path == path }.map { $0["Range"] ?? "all" }
    try expect(ranges == ["all", "bytes=\(offset)-"], "the requests asked for \(ranges)")
  }

  func digest(of path: String) throws -> String {
    guard let content = FileManager.default.contents(atPath: path) else {
      throw DemoError(description: "there is no file \(path)")
    }
    return try DemoOrigin.digest(content)
  }
}

/// This program in another process.
struct ChildTool {
  private let process: pid_t

  init(_ arguments: [String]) throws(FileSystemError) {
    var process: pid_t = 0
    var texts = (["curlew"] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    let code = posix_spawn(&process, "/proc/self/exe", nil, nil, &texts, environ)
    guard code == 0 else { throw FileSystemError(code: code, operation: "posix_spawn", path: "/proc/self/exe") }
    self.process = process
  }

  /// Kills the process and waits for its end.
  func kill() {
    Glibc.kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
