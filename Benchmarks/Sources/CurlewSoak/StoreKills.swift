import ArgumentParser
import CurlewBatch
import CurlewCore
import CurlewRequests
import CurlewSQLiteBatchStore
import CurlewTestSupport
import FoundationEssentials
import Glibc

/// Kills processes that finish the items of a batch store, and checks what the store knows afterwards.
struct StoreKills: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-kills", abstract: "Kills processes that finish items of an SQLite batch store, and reads it.")

  @Option(help: "How many.") var kills = 1_000
  @Option(help: "Decides the instants.") var seed: UInt64 = .random(in: .min ... .max)

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-store-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/batch"
    var random = SeededRandom(seed: seed)
    var census = StoreCensus()
    try await census.look(at: path, begun: [], reported: [])
    for _ in 0..<kills {
      let writer = try StoreWriter(path)
      let (begun, reported) = writer.kill(
        afterItems: .random(in: 1...40, using: &random), waiting: .random(in: 0...400, using: &random))
      try await census.look(at: path, begun: begun, reported: reported)
    }
    let changed = try await census.changedResults(at: path)
    var report = Report("batch store of killed processes")
    report.note("\(kills) kills, seed \(seed), \(census.results.count) items finished")
    report.promise(census.unopened == 0, "\(census.unopened) times not opened")
    report.promise(census.forgotten == 0, "\(census.forgotten) finished items forgotten")
    report.promise(census.invented == 0, "\(census.invented) invented")
    report.promise(census.wrong == 0 && changed == 0, "\(census.wrong + changed) wrong or changed results")
    report.note("\(census.unreported) recorded that were killed before they could say so")
    report.promise(census.results.count > kills * 5, "\(census.results.count / kills) items a kill")
    try report.finish()
  }
}

/// What the parent process knows of a store.
private struct StoreCensus {
  /// The results so far.
  private(set) var results: [String: BatchResult] = [:]
  private(set) var unopened = 0
  private(set) var forgotten = 0
  private(set) var invented = 0
  private(set) var wrong = 0
  private(set) var unreported = 0
  private var position: Int64 = 0
  private var added = 0

  /// Opens the store and compares it with what a killed process has said; then adds items for the next one.
  ///
  /// - Parameters:
  ///   - begun: The items whose result the process was about to record.
  ///   - reported: The items whose result the store had accepted.
  mutating func look(at path: String, begun: Set<String>, reported: Set<String>) async throws {
    guard let store = try? await SQLiteBatchStore(path) else {
      unopened += 1
      return
    }
    var new: Set<String> = []
    while case let page = try await store.outcomes(after: position, limit: 1_000), let last = page.last {
      position = last.position
      for outcome in page {
        if results.updateValue(outcome.result, forKey: outcome.name) != nil { invented += 1 }
        if outcome.result != StoreWriter.result(of: outcome.name) { wrong += 1 }
        new.insert(outcome.name)
      }
    }
    forgotten += reported.subtracting(new).count
    invented += new.subtracting(begun).count
    unreported += new.subtracting(reported).count
    let summary = try await store.summary()
    if summary.running != 0 || summary.ended != results.count || summary.total != added { wrong += 1 }
    while added - results.count < 200 {
      // Every third item waits for the one before it.
      let items = (added..<added + 100).map { number in
        BatchItem(
          "\(number)", job: ComponentName("store-kills"), dependencies: number % 3 == 2 ? ["\(number - 1)"] : [])
      }
      added += try await store.add(items)
    }
    await store.close()
  }

  /// Returns how many results have changed since they were first seen.
  func changedResults(at path: String) async throws -> Int {
    let store = try await SQLiteBatchStore(path)
    let outcomes = try await store.outcomes(after: 0, limit: results.count + 1)
    await store.close()
    let kept = Dictionary(outcomes.map { ($0.name, $0.result) }) { first, _ in first }
    return outcomes.count == results.count && kept == results ? 0 : abs(outcomes.count - results.count) + 1
  }
}

/// A process that finishes items until it is killed, and says so before and after each.
private struct StoreWriter {
  private let process: pid_t
  private let output: Int32

  init(_ path: String) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw ValidationError("A pipe cannot be made.") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let words = ["curlew-soak", "store-writer", path]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for text in arguments { free(text) } }
    var process = pid_t()
    let code = posix_spawn(&process, "/proc/self/exe", &actions, nil, &arguments, environ)
    close(ends[1])
    guard code == 0 else { throw ValidationError("A process cannot be started.") }
    self.process = process
    output = ends[0]
  }

  /// The result that a process records for an item.
  static func result(of name: String) -> BatchResult {
    .succeeded(BatchProduct(output: Data(String(repeating: name + ";", count: 10).utf8), bytes: Int64(name)))
  }

  /// Kills the process some microseconds after it has said that it has finished so many items.
  ///
  /// - Returns: The items whose result it was about to record, and those whose result was recorded.
  func kill(afterItems count: Int, waiting microseconds: UInt32) -> (begun: Set<String>, reported: Set<String>) {
    var text: [UInt8] = []
    var isAlive = true
    while read(into: &text) {
      guard isAlive, text.count(where: { $0 == UInt8(ascii: "+") }) >= count else { continue }
      usleep(microseconds)
      Glibc.kill(process, SIGKILL)
      isAlive = false
    }
    close(output)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast()
    func names(_ sign: Character) -> Set<String> {
      Set(lines.filter { $0.first == sign }.map { String($0.dropFirst()) })
    }
    return (names("-"), names("+"))
  }

  /// Reads more of what the process says; false at the end.
  private func read(into text: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = Glibc.read(output, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      text += buffer[..<count]
      return true
    }
  }
}

/// Finishes items of a store until it is killed.
struct StoreWriterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-writer", abstract: "Finishes items of a batch store until it is killed.", shouldDisplay: false)

  @Argument var path: String

  func run() async throws {
    let store = try await SQLiteBatchStore(path)
    while true {
      for lease in try await store.lease(4, for: .seconds(60)).leases {
        if Int.random(in: 0..<8) == 0 {
          try await store.release(lease.id, .unfinished)
          continue
        }
        say("-" + lease.id.name)
        try await store.finish(lease.id, with: StoreWriter.result(of: lease.id.name))
        say("+" + lease.id.name)
      }
    }
  }

  /// One call of the system for each line, so that nothing that was said is lost.
  private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
  }
}
