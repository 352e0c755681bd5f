import CurlewBatch
import CurlewCore
import FoundationEssentials
import Testing

@testable import CurlewSQLiteBatchStore

/// A process that is killed leaves the file and a part of its log: what the system had taken by then.
@Suite struct KilledProcessTests {
  @Test func `whatever part of the log is there, the finished items are the first that were reported`() async throws {
    let place = try StorePlace()
    let ledger = try place.ledger()
    try ledger.connection.execute("PRAGMA wal_autocheckpoint = 0")
    let count = 60
    _ = try ledger.add((0..<count).map { .sample("\($0)", after: $0 % 3 == 2 ? ["\($0 - 1)"] : []) })
    _ = try ledger.apply(.setRules(BatchRules(limit: 100, perHost: nil, ageLimit: nil)))
    // The image of each instant. The file does not change meanwhile, since its log is not moved into it.
    var images: [(log: Int, finished: Int)] = []
    let log = URL(filePath: place.path + "-wal")
    var finished: [String] = []
    images.append((try Data(contentsOf: log).count, 0))
    while finished.count < count {
      for lease in try ledger.lease(7, for: .seconds(60)).leases {
        try ledger.finish(lease.id, with: .success(Int64(finished.count)))
        finished.append(lease.id.name)
        images.append((try Data(contentsOf: log).count, finished.count))
      }
    }
    let (file, bytes) = (try Data(contentsOf: URL(filePath: place.path)), try Data(contentsOf: log))
    var random = SystemRandomNumberGenerator()
    var lengths = images.map(\.log)
    for _ in 0..<150 { lengths.append(Int.random(in: images[0].log...bytes.count, using: &random)) }
    for length in lengths {
      let copy = try StorePlace()
      try file.write(to: URL(filePath: copy.path))
      try bytes.prefix(length).write(to: URL(filePath: copy.path + "-wal"))
      let store = try copy.ledger()
      let names = try store.outcomes(after: 0, limit: 1_000).map(\.name)
      let reported = images.last { $0.log <= length }?.finished ?? 0
      #expect(names.count >= reported, "\(length) bytes of the log: \(names.count) of \(reported) are there")
      #expect(names == Array(finished.prefix(names.count)), "something was invented")
      let summary = try store.summary()
      #expect(summary.succeeded == names.count && summary.total == count && summary.running == 0)
      // It goes on to the end.
      while let lease = try store.lease(1, for: .seconds(60)).leases.first {
        #expect(!names.contains(lease.id.name))
        try store.finish(lease.id, with: .success())
      }
      #expect(try store.summary().succeeded == count)
    }
  }
}
