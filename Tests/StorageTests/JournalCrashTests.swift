import CurlewCore
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Journals under random scripts of appends, synchronizations, compactions, faults and crashes.
@Suite(.timeLimit(.minutes(10))) struct JournalCrashTests {
  /// How many random scripts run; `CURLEW_JOURNAL_SEEDS` sets another number.
  private static let seeds = UInt64(getenv("CURLEW_JOURNAL_SEEDS").flatMap { Int(String(cString: $0)) } ?? 60)

  /// What a journal may hold after a crash.
  private struct Model {
    /// The records since the last compaction, and how many of them are durable.
    var records: [Data] = []
    var durable = 0
    /// Records that a compaction has put in place of others, while it is unknown whether it is durable.
    var alternative: [Data]?

    /// Records whose append failed, by the number of records before them: they may have been written all the same.
    var failed: [Int: [Data]] = [:]

    func allows(_ found: [Data]) -> Bool {
      if found == alternative { return true }
      guard found.count >= durable else { return false }
      if found == Array(records.prefix(found.count)) { return true }
      guard let last = found.last, failed[found.count - 1]?.contains(last) == true else { return false }
      return found.dropLast() == records.prefix(found.count - 1)
    }
  }

  @Test func `after any crash a journal holds a prefix of what was appended, never shorter than what was synchronized`()
    async throws
  {
    for seed in 0..<Self.seeds {
      try run(seed, rate: 0)
      await Task.yield()
    }
  }

  @Test func `with faults of the file system as well`() async throws {
    for seed in 0..<Self.seeds {
      try run(seed, rate: 0.03)
      await Task.yield()
    }
  }

  private func run(_ seed: UInt64, rate: Double) throws {
    var random = SeededRandom(seed: seed)
    let memory = MemoryFileSystem()
    let files = FailingFileSystem(over: memory)
    var model = Model()
    for life in 0..<4 {
      files.heal()
      if rate > 0 { files.failRandomly(seed: seed &* 31 &+ UInt64(life), rate: rate) }
      var found: [Data] = []
      let journal: Journal
      do {
        journal = try Journal("/j", in: files) { found.append($0) }
      } catch {
        #expect(error.kind == .file, "seed \(seed)")
        #expect(rate > 0, "seed \(seed): \(error)")
        continue
      }
      #expect(model.allows(found), "seed \(seed), life \(life): \(found.count) of \(model.records.count)")
      // What was read may still be unsynchronized: only what was durable before is sure to be.
      model = Model(records: found, durable: min(model.durable, found.count))
      for _ in 0..<Int.random(in: 0..<12, using: &random) { step(journal, &model, &random) }
      memory.crash(Bool.random(using: &random) ? .losesUnsynced : .tears(seed: seed &+ UInt64(life)))
    }
  }

  private func step(_ journal: Journal, _ model: inout Model, _ random: inout SeededRandom) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6:
      let record = Data(
        (0..<Int.random(in: 0..<900, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      if (try? journal.append(record)) != nil {
        model.records.append(record)
      } else {
        model.failed[model.records.count, default: []].append(record)
      }
    case 6..<9:
      guard model.alternative == nil, (try? journal.synchronize()) != nil else { return }
      model.durable = model.records.count
    default:
      guard model.alternative == nil else { return }
      let kept = Array(model.records.suffix(2))
      if (try? journal.compact(to: kept)) != nil {
        model = Model(records: kept, durable: kept.count)
      } else {
        // Either is there; what follows is not looked at any more.
        model.alternative = kept
        journal.close()
      }
    }
  }

  @Test func `each call of the file system that fails leaves a journal that can be opened and goes on`() async throws {
    let script: @Sendable (any FileSystem) -> Int = { files in
      guard let journal = try? Journal("/j", in: files, replay: { _ in }) else { return 0 }
      var appended = 0
      for number in 0..<3 where (try? journal.append(Data("\(number)".utf8))) != nil { appended += 1 }
      try? journal.synchronize()
      try? journal.compact(to: [Data("c".utf8)])
      try? journal.append(Data("d".utf8))
      journal.close()
      return appended
    }
    let counting = FailingFileSystem(over: MemoryFileSystem())
    _ = script(counting)
    let calls = counting.calls.count
    #expect(calls > 20)
    for call in 1...calls {
      await Task.yield()
      for lasts in [false, true] {
        for code in [EIO, ENOSPC, EACCES] {
          let memory = MemoryFileSystem()
          let files = FailingFileSystem(over: memory)
          files.fail(FileFault(nil, call: call, code: code, lasts: lasts, bytesWritten: 5))
          _ = script(files)
          #expect(memory.openFiles == 0)
          var records: [String] = []
          let journal = try Journal("/j", in: memory) { records.append(String(decoding: $0, as: UTF8.self)) }
          // A failed append is left out; the others are there in their order, or the compaction and what followed it.
          #expect(
            isSubsequence(records, of: ["0", "1", "2", "d"]) || isSubsequence(records, of: ["c", "d"]),
            "call \(call) of \(calls), lasts \(lasts): \(records)")
          try journal.append(Data("on".utf8))
          journal.close()
        }
      }
    }
  }

  private func isSubsequence(_ records: [String], of all: [String]) -> Bool {
    var rest = all[...]
    return records.allSatisfy { record in
      guard let index = rest.firstIndex(of: record) else { return false }
      rest = rest[(index + 1)...]
      return true
    }
  }
}
