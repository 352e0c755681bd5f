import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Downloads whose machine loses its power: what was not made durable is torn, sector by sector.
@Suite(.timeLimit(.minutes(15))) struct PowerLossTests {
  private static let scripts = UInt64(getenv("CURLEW_POWER_SCRIPTS").flatMap { Int(String(cString: $0)) } ?? 20)
  private static let seeds = UInt64(getenv("CURLEW_DOWNLOAD_SEEDS").flatMap { Int(String(cString: $0)) } ?? 200)

  /// One download of a script: of which version, and after how many bytes its connection is lost.
  private struct Step {
    var isNew: Bool
    var cut: Int?

    init(_ random: inout SeededRandom) {
      isNew = Bool.random(using: &random)
      cut = Bool.random(using: &random) ? Int.random(in: 1..<27_000, using: &random) : nil
    }
  }

  /// A machine on which downloads run.
  private struct Machine {
    let memory = MemoryFileSystem()
    let plug: PlugFileSystem
    let seed: UInt64

    init(_ seed: UInt64) throws {
      self.seed = seed
      try memory.createDirectory("/d")
      try memory.synchronizeDirectory("/")
      plug = PlugFileSystem(memory, seed: seed)
    }

    /// The disk as this start of the machine has it.
    var disk: DownloadDisk { DownloadDisk(plug, boot: { [seed, plug] in "\(seed)-\(plug.starts)" }) }

    func carryOut(_ step: Step, _ comment: Comment) async {
      let outcome = await TwoVersions.download(isNew: step.isNew, cut: step.cut, on: disk).outcomeOfRun
      let found = memory.contents(of: Site.path)
      #expect(found == nil || found == TwoVersions.old || found == TwoVersions.new, comment)
      if case .success = outcome, !plug.isOut { #expect(found == TwoVersions.bytes(isNew: step.isNew), comment) }
    }

    /// Starts the machine again: what is kept is the beginning of the version that the journal names.
    func restart(_ comment: Comment) async throws {
      plug.restore()
      let disk = disk
      let (length, validator) = try await disk.run {
        let file = try PartialFile(PartialPlace(beside: Site.path), on: disk, syncInterval: Site.syncInterval)
        defer { file.close(keeping: true) }
        return (file.length, file.record?.validator)
      }
      let kept = memory.contents(of: PartialPlace(beside: Site.path).data)?.prefix(Int(length)) ?? []
      #expect(kept.isEmpty || TwoVersions.bytes(of: validator)?.prefix(kept.count) == kept, comment)
    }

    /// Whatever happened, a download that nothing disturbs ends as the right file, and leaves nothing beside it.
    func finish(isNew: Bool, _ comment: Comment) async throws {
      let outcome = await TwoVersions.download(isNew: isNew, on: disk).outcomeOfRun
      #expect(outcome.error == nil, comment)
      #expect(memory.contents(of: Site.path) == TwoVersions.bytes(isNew: isNew), comment)
      #expect(try memory.list("/d") == ["file.bin"], comment)
    }
  }

  @Test func `after a power failure at each call of a script there is the right file, or what can be gone on with`()
    async throws
  {
    var failures = 0
    for script in 0..<Self.scripts {
      var random = SeededRandom(seed: script)
      let steps = (0..<Int.random(in: 1...3, using: &random)).map { _ in Step(&random) }
      let isNew = Bool.random(using: &random)
      let undisturbed = try Machine(script)
      for step in steps { await undisturbed.carryOut(step, "script \(script)") }
      for call in 1...undisturbed.plug.calls {
        let comment: Comment = "script \(script), call \(call)"
        let machine = try Machine(script << 32 | UInt64(call))
        machine.plug.pull(after: call)
        for step in steps {
          await machine.carryOut(step, comment)
          guard machine.plug.isOut else { continue }
          failures += 1
          try await machine.restart(comment)
        }
        try await machine.finish(isNew: isNew, comment)
      }
    }
    #expect(failures >= 20 * Self.scripts)
    print("figure: \(Self.scripts) scripts: the power failed \(failures) times, once at each call")
  }

  @Test func `after power failures at any calls there is the right file, or what can be gone on with`() async throws {
    for seed in 0..<Self.seeds {
      var random = SeededRandom(seed: seed)
      let machine = try Machine(seed)
      for round in 0..<3 {
        let comment: Comment = "seed \(seed), round \(round)"
        machine.plug.pull(after: Int.random(in: 1..<70, using: &random))
        await machine.carryOut(Step(&random), comment)
        try await machine.restart(comment)
      }
      try await machine.finish(isNew: true, "seed \(seed)")
    }
  }

  @Test func `a download that need not survive a power failure goes on with no byte that one has taken`() async throws {
    for seed in 0..<Self.seeds {
      var random = SeededRandom(seed: seed)
      let machine = try Machine(seed)
      for round in 0..<4 {
        let step = Step(&random)
        let survives = Bool.random(using: &random)
        machine.plug.pull(after: Int.random(in: 1..<50, using: &random))
        let download = TwoVersions.download(isNew: step.isNew, cut: step.cut, on: machine.disk) {
          $0.survivesPowerFailure = survives
        }
        _ = await download.outcomeOfRun
        try await machine.restart("seed \(seed), round \(round)")
      }
      try await machine.finish(isNew: true, "seed \(seed)")
    }
  }

  @Test func `a download that need not survive a power failure waits for the disk only to begin its journal`()
    async throws
  {
    for cut in [nil, 15_000] {
      let memory = MemoryFileSystem()
      try memory.createDirectory("/d")
      let files = FailingFileSystem(over: memory)
      let disk = DownloadDisk(files, boot: { "a" })
      let change: (inout PartialSink.Options) -> Void = { $0.survivesPowerFailure = false }
      _ = await TwoVersions.download(isNew: true, cut: cut, on: disk, change).outcomeOfRun
      #expect(files.calls.count { $0.operation == .synchronize } == 1)
      #expect(files.calls.count { $0.operation == .synchronizeDirectory } == 1)
      let last = TwoVersions.download(isNew: true, on: disk, change)
      let result = try await last.outcomeOfRun.get()
      #expect(result.resumedFrom == Int64(cut ?? 0) && memory.contents(of: Site.path) == TwoVersions.new)
    }
  }

  @Test func `after a restart of the machine only what is durable counts`() throws {
    var record = PartialRecord(DownloadURL(TwoVersions.url), validator: .entityTag("v1"), total: 1_000)
    record.durable = 300
    record.boot = "a"
    #expect(record.trusted(length: 700, boot: "a") == 700)
    #expect(record.trusted(length: 700, boot: "b") == 300)
    #expect(record.trusted(length: 700, boot: nil) == 300)
    #expect(record.trusted(length: 200, boot: "b") == 200)
    #expect(record.trusted(length: 1_001, boot: "a") == 0)
    #expect(PartialRecord(try record.encoded()) == record)
  }
}
