import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Downloads whose disk fails.
@Suite(.timeLimit(.minutes(15))) struct DurabilityTests {
  /// What is on the disk when its calls begin to fail, and what is asked for then.
  struct Script: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What an earlier download has left.
    var earlier: (isNew: Bool, cut: Int?)?
    /// How much of the new version comes before its connection is lost, once.
    var cut: Int?
    /// Whether the server says how long the file is.
    var announcesLength = true
    var change: @Sendable (inout PartialSink.Options) -> Void = { _ in }
  }

  private static let scripts = [
    Script(testDescription: "nothing is there"),
    Script(testDescription: "nothing is there, and the length is unknown", announcesLength: false),
    Script(testDescription: "a part of the same version is there", earlier: (true, 15_000)),
    Script(testDescription: "a part of another version is there", earlier: (false, 15_000), cut: 20_000),
    Script(testDescription: "all but one byte is there", earlier: (true, 26_999)),
    Script(
      testDescription: "a power failure need not be survived", earlier: (true, 15_000),
      change: { $0.survivesPowerFailure = false }),
    Script(
      testDescription: "another file has the name, and all attributes are set", earlier: (false, nil),
      change: { options in
        options.permissions = 0o640
        options.keepsModificationTime = true
        options.createsDirectories = true
        options.verification.expected = try? digest(TwoVersions.new)
      }),
  ]

  /// How a call fails: with which error, whether all later ones fail too, and how much of a write is done all the same.
  struct Failure: Sendable, Hashable, CustomTestStringConvertible {
    var code: Int32
    var lasts: Bool
    var bytesWritten = 0
    var testDescription: String { "\(String(cString: strerror(code))), lasting: \(lasts), written: \(bytesWritten)" }
  }

  private static let failures =
    [EIO, ENOSPC, EACCES, EDQUOT].flatMap { [Failure(code: $0, lasts: false), Failure(code: $0, lasts: true)] }
    + [Failure(code: ENOSPC, lasts: false, bytesWritten: 1_000), Failure(code: EIO, lasts: true, bytesWritten: 1)]

  @Test(arguments: Self.scripts, Self.failures)
  func `every fault of the file system at every call leaves the right file, or what can be gone on with`(
    script: Script, failure: Failure
  ) async throws {
    var call = 1
    var wasReached = true
    while wasReached {
      let comment: Comment = "call \(call)"
      let memory = MemoryFileSystem()
      try memory.createDirectory("/d")
      if let earlier = script.earlier {
        _ = await TwoVersions.download(
          isNew: earlier.isNew, cut: earlier.cut, on: DownloadDisk(memory, boot: { "a" })
        ).outcomeOfRun
      }
      let before = memory.contents(of: Site.path)
      let files = FailingFileSystem(over: memory)
      files.fail(
        FileFault(nil, call: call, code: failure.code, lasts: failure.lasts, bytesWritten: failure.bytesWritten))
      let disk = DownloadDisk(files, boot: { "a" })
      var outcomes: [TransferOutcome<DownloadResult>] = []
      if script.cut != nil {
        outcomes.append(await TwoVersions.download(isNew: true, cut: script.cut, on: disk, script.change).outcomeOfRun)
      }
      let earlierCalls = files.calls.count
      let announcesLength = script.announcesLength
      outcomes.append(
        await TwoVersions.download(isNew: true, announcesLength: announcesLength, on: disk, script.change).outcomeOfRun)
      let failed = files.calls.dropFirst(earlierCalls).filter { $0.code != nil }
      check(outcomes.last, after: failed, failure, comment)
      wasReached = files.calls.contains { $0.code != nil }
      for error in outcomes.compactMap(\.error) { #expect(error is NetworkError, comment) }
      let found = memory.contents(of: Site.path)
      if case .success? = outcomes.last { #expect(found == TwoVersions.new, comment) }
      #expect(found == before || found == TwoVersions.new, comment)
      #expect(memory.openFiles == 0, comment)
      files.heal()
      let last = await TwoVersions.download(isNew: true, on: disk, script.change).outcomeOfRun
      #expect(last.error == nil, "call \(call): \(String(describing: last.error))")
      #expect(memory.contents(of: Site.path) == TwoVersions.new, comment)
      #expect(try memory.list("/d") == ["file.bin"], comment)
      call += 1
    }
    #expect(call > 15)
  }

  /// The calls without which a download cannot be the right file, or would not survive a power failure.
  private static let needed: [FileFault.Operation] = [.write, .synchronize, .truncate, .rename, .synchronizeDirectory]

  /// Checks that a download whose calls failed says so: by the error of the file system, and never by success after a call that
  /// it needs.
  private func check(
    _ outcome: TransferOutcome<DownloadResult>?, after failed: [FailingFileSystem.Call], _ failure: Failure,
    _ comment: Comment
  ) {
    switch outcome {
    case .success: #expect(failed.allSatisfy { !Self.needed.contains($0.operation) }, comment)
    case .failure(let error):
      let error = error as? NetworkError
      #expect(error?.kind == .fileError, comment)
      #expect((error?.details.underlying as? FileSystemError)?.code == failure.code, comment)
    default: Issue.record(comment)
    }
  }

  @Test func `a record that says what cannot be is not read`() throws {
    let good = try String(decoding: PartialRecord(DownloadURL(TwoVersions.url)).encoded(), as: UTF8.self)
    for (from, to) in [
      (#""version":1"#, #""version":2"#), (#""durable":0"#, #""durable":-1"#), ("{", "["), (#""url""#, #""u""#),
    ] {
      #expect(good.contains(from))
      #expect(PartialRecord(Data(good.replacing(from, with: to).utf8)) == nil)
    }
    #expect(PartialRecord(Data(count: PartialRecord.limit + 1)) == nil)
  }

  @Test func `a journal that is none is left alone`() async throws {
    let memory = MemoryFileSystem()
    try memory.createDirectory("/d")
    let path = PartialPlace(beside: Site.path).journal
    let file = try memory.open(path, [.write, .create])
    try [UInt8]("somebody else's file, long enough to have a header".utf8).withUnsafeBytes { try file.write($0, at: 0) }
    let outcome = await TwoVersions.download(isNew: true, on: DownloadDisk(memory)).outcomeOfRun
    #expect((outcome.error as? NetworkError)?.kind == .fileError)
    #expect(memory.contents(of: path)?.count == 50)
  }
}
