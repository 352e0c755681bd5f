import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Downloads whose disk fails, or whose machine loses its power.
@Suite(.timeLimit(.minutes(10))) struct DurabilityTests {
  private static let seeds = UInt64(getenv("CURLEW_DOWNLOAD_SEEDS").flatMap { Int(String(cString: $0)) } ?? 200)
  private let url = URL(string: "http://stub.test/f") ?? URL(filePath: "/")

  /// Answers ranges of a file, and whole files, with a strong tag; cuts a body where it is told to.
  private static func origin(_ bytes: [UInt8], tag: String, cut: Int? = nil) -> StubTransport {
    StubTransport { asked in
      let offset = asked.request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) }
      let isSame = asked.request.headerFields[.ifRange] == tag
      if let offset, isSame, offset >= bytes.count {
        return StubAnswer(.rangeNotSatisfiable, headerFields: [.contentRange: "bytes */\(bytes.count)", .eTag: tag])
      }
      let start = isSame ? offset ?? 0 : 0
      var fields: HTTPFields = [.eTag: tag, .contentLength: "\(bytes.count - start)"]
      if start > 0 { fields[.contentRange] = "bytes \(start)-\(bytes.count - 1)/\(bytes.count)" }
      let end = min(bytes.count, start + (cut ?? bytes.count))
      var steps = stride(from: start, to: end, by: 4_096).map {
        StubAnswer.Step.bytes(Data(bytes[$0..<min(end, $0 + 4_096)]))
      }
      if end < bytes.count {
        steps.append(.failure(NetworkError(.connectionLost, stage: .receivingBody, message: "Lost.")))
      }
      return StubAnswer(start > 0 ? .partialContent : .ok, headerFields: fields, body: steps)
    }
  }

  private func download(_ transport: StubTransport, _ disk: DownloadDisk) -> Downloader {
    var configuration = Downloader.Configuration(Request(.get, url), to: .file(Site.path))
    configuration.retry = nil
    configuration.file.collision = .replace
    configuration.file.durableBytes = 8_192
    return Downloader(Loader(transport), configuration, on: disk)
  }

  private let old = SeededResource(length: 30_000, seed: 1).bytes(count: 30_000)
  private let new = SeededResource(length: 27_000, seed: 2).bytes(count: 27_000)

  @Test func `every fault of the file system at every call leaves the right file, or what can be gone on with`()
    async throws
  {
    let memory = MemoryFileSystem()
    try memory.createDirectory("/d")
    var call = 1
    var wasReached = true
    while wasReached {
      for lasts in [false, true] {
        try? memory.remove(Site.path)
        let files = FailingFileSystem(over: memory)
        // A partial file is there, and the file at the server has changed: both ways of writing are in one script.
        _ = await download(Self.origin(old, tag: "\"old\"", cut: 15_000), DownloadDisk(memory, boot: { "a" }))
          .outcomeOfRun
        files.fail(FileFault(nil, call: call, code: [EIO, ENOSPC, EACCES][call % 3], lasts: lasts))
        let disk = DownloadDisk(files, boot: { "a" })
        let cut = await download(Self.origin(new, tag: "\"new\"", cut: 20_000), disk).outcomeOfRun
        let outcome = await download(Self.origin(new, tag: "\"new\""), disk).outcomeOfRun
        wasReached = files.calls.contains { $0.code != nil }
        for outcome in [cut, outcome] {
          if let error = outcome.error {
            #expect(error is NetworkError, "call \(call): \(error)")
          }
        }
        if case .success = outcome { #expect(memory.contents(of: Site.path) == new, "call \(call)") }
        if let found = memory.contents(of: Site.path) { #expect(found == new, "call \(call)") }
        files.heal()
        #expect(memory.openFiles == 0, "call \(call)")
        let last = await download(Self.origin(new, tag: "\"new\""), disk).outcomeOfRun
        #expect(last.error == nil, "call \(call): \(String(describing: last.error))")
        #expect(memory.contents(of: Site.path) == new, "call \(call), lasting \(lasts)")
        #expect(try memory.list("/d").filter { !$0.hasSuffix(".tmp") } == ["file.bin"], "call \(call)")
      }
      call += 1
    }
    #expect(call > 40)
  }

  @Test func `after a power failure at any call there is the right file, or what can be gone on with`() async throws {
    for seed in 0..<Self.seeds {
      var random = SeededRandom(seed: seed)
      let memory = MemoryFileSystem()
      try memory.createDirectory("/d")
      try memory.synchronizeDirectory("/")
      let plug = PlugFileSystem(memory, seed: seed)
      // Downloads of two versions of a file, one after the other, each with the power failing at some call.
      for round in 0..<3 {
        let isNew = Bool.random(using: &random)
        let cut = Bool.random(using: &random) ? Int.random(in: 1..<27_000, using: &random) : nil
        plug.pull(after: Int.random(in: 1..<70, using: &random))
        let disk = DownloadDisk(plug, boot: { "\(seed)-\(plug.starts)" })
        let outcome = await download(
          Self.origin(isNew ? new : old, tag: isNew ? "\"new\"" : "\"old\"", cut: cut), disk
        ).outcomeOfRun
        let found = memory.contents(of: Site.path)
        #expect(found == nil || found == old || found == new, "seed \(seed), round \(round)")
        if case .success = outcome, !plug.isOut {
          #expect(found == (isNew ? new : old), "seed \(seed), round \(round)")
        }
        plug.restore()
      }
      let disk = DownloadDisk(memory, boot: { "last-\(seed)" })
      let outcome = await download(Self.origin(new, tag: "\"new\""), disk).outcomeOfRun
      #expect(outcome.error == nil, "seed \(seed): \(String(describing: outcome.error))")
      #expect(memory.contents(of: Site.path) == new, "seed \(seed)")
    }
  }

  @Test func `after a restart of the machine only what is durable counts`() throws {
    var record = PartialRecord(DownloadURL(url), validator: .entityTag("v1"), total: 1_000)
    record.durable = 300
    record.boot = "a"
    #expect(record.trusted(length: 700, boot: "a") == 700)
    #expect(record.trusted(length: 700, boot: "b") == 300)
    #expect(record.trusted(length: 700, boot: nil) == 300)
    #expect(record.trusted(length: 200, boot: "b") == 200)
    #expect(record.trusted(length: 1_001, boot: "a") == 0)
    #expect(PartialRecord(try record.encoded()) == record)
  }

  @Test func `a record that says what cannot be is not read`() throws {
    let good = try String(decoding: PartialRecord(DownloadURL(url)).encoded(), as: UTF8.self)
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
    let outcome = await download(Self.origin(new, tag: "\"new\""), DownloadDisk(memory)).outcomeOfRun
    #expect((outcome.error as? NetworkError)?.kind == .fileError)
    #expect(memory.contents(of: path)?.count == 50)
  }
}

extension Downloader {
  /// Starts it and waits for how it ends.
  var outcomeOfRun: TransferOutcome<DownloadResult> {
    get async {
      start()
      return await outcome
    }
  }
}
