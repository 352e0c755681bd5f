import ArgumentParser
import CSQLiteTrace
import CurlewBatch
import CurlewCore
import CurlewRequests
import CurlewSQLiteBatchStore
import Foundation

/// Measures a batch store in an SQLite file.
struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Fills an SQLite batch store, or opens it, leases items and finishes them.",
    discussion: """
      A file that does not exist is filled with COUNT items; otherwise COUNT of its items are leased and finished, one in each \
      call. With --trace, the statements of each step are written to FOLDER/add.sql, open.sql, lease.sql and finish.sql, \
      for the sqlite3 shell.

      EXAMPLES
        curlew-bench store /tmp/birds 1000000
        curlew-bench store /tmp/birds 20000 --trace /tmp
        curlew-bench store /tmp/birds 20000 --tasks 16
      """)

  @Argument(help: "The file.") var file: String
  @Argument(help: "How many items.") var count: Int
  @Option(help: "Write the statements into this folder, and measure nothing.") var trace: String?

  @Option(help: "Lease and finish the items in this many tasks, as a worker of that width does.") var tasks = 1

  func validate() throws {
    guard (1...1_000).contains(tasks), tasks == 1 || trace == nil else {
      throw ValidationError("There are 1 to 1000 tasks, and only one with --trace.")
    }
  }

  func run() async throws {
    if trace != nil, curlew_trace_begin() != 0 { throw ValidationError("SQLite does not trace.") }
    if FileManager.default.fileExists(atPath: file) { try await work() } else { try await fill() }
    try record(nil)
  }

  private func fill() async throws {
    try record("open")
    let store = try await SQLiteBatchStore(file)
    let memory = try residentBytes()
    let begin = Usage.current
    try record("add")
    for start in stride(from: 0, to: count, by: 1_000) {
      try await store.add((start..<min(count, start + 1_000)).map { BatchItem.numbered($0) })
    }
    let each = (try residentBytes() - memory) / count
    report("add", since: begin, ["bytes_each=\(each)"])
    await store.close()
  }

  private func work() async throws {
    var begin = Usage.current
    try record("open")
    let store = try await SQLiteBatchStore(file)
    report("open", since: begin, [])
    try await store.apply(.setRules(BatchRules(limit: count, perHost: nil, ageLimit: nil)))

    guard tasks == 1 else {
      begin = .current
      try await workTogether(store)
      report("work", since: begin, ["tasks=\(tasks)"])
      return await store.close()
    }
    begin = .current
    try record("lease")
    var leases: [BatchLease.ID] = []
    for _ in 0..<count { leases += try await store.lease(1, for: .seconds(3_600)).leases.map(\.id) }
    report("lease", since: begin, [])
    guard leases.count == count else { throw ValidationError("The store has \(leases.count) ready items.") }

    begin = .current
    try record("finish")
    for lease in leases {
      try await store.finish(lease, with: .succeeded(BatchProduct(output: Self.output, bytes: 4_096)))
    }
    report("finish", since: begin, [])
    try record(nil)
    await store.close()
  }

  /// Leases and finishes the items in several tasks, each with its share of them.
  private func workTogether(_ store: SQLiteBatchStore) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask { [count, tasks] in
          for _ in stride(from: task, to: count, by: tasks) {
            guard let lease = try await store.lease(1, for: .seconds(3_600)).leases.first else {
              throw ValidationError("The store has too few ready items.")
            }
            try await store.finish(lease.id, with: .succeeded(BatchProduct(output: Self.output, bytes: 4_096)))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The output of a download is about as long.
  private static let output = Data(repeating: UInt8(ascii: "x"), count: 120)

  private func record(_ step: String?) throws {
    guard let trace else { return }
    let path = step.map { "\(trace)/\($0).sql" }
    guard curlew_trace_to(path) != 0 else {
      throw ValidationError("\(trace) is no folder that can be written.")
    }
  }

  private func report(_ step: String, since begin: Usage, _ more: [String]) {
    guard trace == nil else { return }
    let used = Measurement(from: begin)
    print((["\(step) n=\(count)", "cpu_s=\(decimal(used.processorSeconds, 4))"] + more).joined(separator: " "))
  }
}

/// Returns the resident memory of this process, in bytes.
func residentBytes() throws -> Int {
  let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
  return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4_096
}

extension BatchItem {
  /// An item like that of a download, with an input of about 150 bytes.
  static func numbered(
    _ number: Int, after dependencies: [String] = [], priority: RequestPriority = .normal
  ) -> BatchItem {
    let name = "birds/\(number / 1_000)/\(number).jpeg"
    let input =
      #"{"path":"/srv/\#(name)","request":{"method":"GET","url":"https://cdn\#(number % 7).example.com/\#(name)"}}"#
    return BatchItem(
      name, job: ComponentName("download"), input: Data(input.utf8), dependencies: dependencies,
      host: "cdn\(number % 7).example.com", priority: priority)
  }
}
