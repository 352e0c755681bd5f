#if Postgres
import CurlewBatch
import CurlewRequests
import FoundationEssentials
import Testing

@testable import CurlewPostgresBatchStore

extension ServerTests {
  /// Many processes that work on one batch, and what happens to them.
  ///
  /// `CURLEW_POSTGRES_ITEMS` sets the number of items, 10,000 in `Scripts/soak`.
  @Suite struct ManyWorkersTests {
    private static let count = Int(ProcessInfo.processInfo.environment["CURLEW_POSTGRES_ITEMS"] ?? "") ?? 400
    private static let isLong = count >= 10_000
    /// The lease duration of the workers.
    private static let leaseTime = Duration.seconds(5)

    /// A batch with its folder.
    private final class Work {
      let place: StorePlace
      let store: PostgresBatchStore
      let folder = FileManager.default.temporaryDirectory.path + "/curlew-workers-\(UInt64.random(in: 0 ... .max))"

      /// - Parameter holdsLast: Whether the last item waits until `letGo`, so that the batch cannot be complete before.
      init(_ count: Int, holdsLast: Bool = false) async throws {
        place = try StorePlace()
        store = try await place.store()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await store.apply(.setRules(BatchRules(limit: 60, perHost: 40)))
        for start in stride(from: 0, to: count, by: 1_000) {
          try await store.add(
            (start..<min(count, start + 1_000)).map { number in
              let name = holdsLast && number == count - 1 ? "held" : "\(number)"
              return BatchItem(name, job: ComponentName("publish"), host: "host\(number % 3).example")
            })
        }
      }

      /// Lets the last item go on.
      func letGo() { _ = FileManager.default.createFile(atPath: folder + "/.go", contents: nil) }

      deinit { try? FileManager.default.removeItem(atPath: folder) }

      func worker(_ width: Int = 8) throws -> WorkerProcess {
        try WorkerProcess(place, folder: folder, width: width)
      }

      /// The lines that the workers have logged.
      func log() throws -> [Substring] {
        String(decoding: (try? Data(contentsOf: URL(filePath: folder + "/.log"))) ?? Data(), as: UTF8.self)
          .split(separator: "\n")
      }
    }

    @Test func `workers that are killed, a server that crashes and lost connections leave every item done once`()
      async throws
    {
      let work = try await Work(Self.count, holdsLast: true)
      var workers = try (0..<6).map { _ in try work.worker() }
      let begin = ContinuousClock.now
      var (killed, cut, overdue) = (0, 0, Duration.zero)
      var nextKill = begin.advanced(by: Self.isLong ? .seconds(2) : .milliseconds(700))
      var hasRestarted = false
      while true {
        let summary = try await work.store.summary()
        if summary.isComplete { break }
        // Sleeps because what is tested happens at any instant of the workers' work.
        try await Task.sleep(for: .milliseconds(100))
        overdue = max(overdue, try Self.overdue(in: work.place))
        if cut < 2, summary.ended > Self.count * (cut + 1) / 4 {
          try Self.cutConnection(in: work.place)
          cut += 1
        }
        if !hasRestarted, summary.ended > Self.count / 2 {
          #expect(try ServerProgram.restart("immediate") == 0)
          hasRestarted = true
        }
        if cut == 2, hasRestarted { work.letGo() }
        if ContinuousClock.now >= nextKill {
          let victim = Int.random(in: 0..<workers.count)
          killed += workers[victim].kill() ? 1 : 0
          workers[victim] = try work.worker()
          nextKill = .now.advanced(by: Self.isLong ? .seconds(2) : .milliseconds(700))
        }
      }
      let seconds = begin.duration(to: .now)
      for worker in workers { #expect(worker.end() == 0) }

      let summary = try await work.store.summary()
      #expect(summary.succeeded == Self.count && summary.total == Self.count, "\(summary)")
      let outcomes = try await work.store.outcomes(after: 0, limit: Self.count + 1)
      #expect(Set(outcomes.map(\.name)).count == Self.count && outcomes.count == Self.count)
      #expect(Set(outcomes.map(\.position)).count == Self.count)
      let files = try FileManager.default.contentsOfDirectory(atPath: work.folder).filter { !$0.hasPrefix(".") }
      #expect(files.count == Self.count)
      let log = try work.log()
      #expect(Set(log).count == log.count, "a file was published twice")
      #expect(!log.contains { $0.hasPrefix("conflict") }, "\(log.filter { $0.hasPrefix("conflict") })")
      #expect(hasRestarted && cut == 2)
      // It is ended by the first call of any worker after its time.
      #expect(overdue < Self.leaseTime, "a lease was over for \(overdue) before its item was given on")
      await work.store.close()
      print(
        """
        figure: \(Self.count) items, 6 workers, \(killed) killed, the server crashed once, \(cut) connections cut: \(seconds); \
        \(log.count) published by workers that lived to log it; a lost lease was over for \(overdue) at most
        """)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["CURLEW_POSTGRES_THROUGHPUT"] != nil))
    func `more workers do more`() async throws {
      let count = Int(ProcessInfo.processInfo.environment["CURLEW_POSTGRES_THROUGHPUT"] ?? "") ?? 2_000
      // Their files are removed at the end: ext4 looks longer for a free inode when many were freed before.
      var works: [Work] = []
      for number in [1, 2, 4, 6] {
        let work = try await Work(count)
        works.append(work)
        let workers = try (0..<number).map { _ in try work.worker() }
        // Sleeps because it looks at what other processes do. The time that they take to start does not count.
        while try await work.store.summary().ended == 0 { try await Task.sleep(for: .milliseconds(10)) }
        let (begin, first) = (ContinuousClock.now, try await work.store.summary().ended)
        while try await !work.store.summary().isComplete { try await Task.sleep(for: .milliseconds(10)) }
        let seconds = begin.duration(to: .now) / .seconds(1)
        for worker in workers { #expect(worker.end() == 0) }
        #expect(try await work.store.summary().succeeded == count)
        await work.store.close()
        print("figure: \(number) workers: \(Int(Double(count - first) / seconds)) items a second")
      }
    }

    /// The longest time since a lease was over that nobody has ended.
    private static func overdue(in place: StorePlace) throws -> Duration {
      guard let connection = try? place.connection() else { return .zero }
      let rows = try? connection.run(
        """
        SELECT coalesce(max(extract(epoch FROM clock_timestamp() - due) * 1000), 0)::bigint FROM "\(place.schema)".item
          WHERE state = 3 AND due < clock_timestamp()
        """)
      return .milliseconds(rows?.integer(0, 0) ?? 0)
    }

    /// Ends the connection of some worker.
    private static func cutConnection(in place: StorePlace) throws {
      try place.connection().run(
        """
        SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity
          WHERE application_name = 'curlew' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1) AS victim
        """)
    }
  }
}
#endif
