import CurlewBatch
import CurlewCore
import FoundationEssentials
import Testing

@testable import CurlewSQLiteBatchStore

@Suite(.serialized) struct ManyItemsTests {
  /// `CURLEW_STORE_ITEMS` sets another number.
  private static let count = Int(ProcessInfo.processInfo.environment["CURLEW_STORE_ITEMS"] ?? "") ?? 40_000

  private static func residentBytes() throws -> Int {
    let text = try String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8)
    return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * 4_096
  }

  /// In a process of its own, so that the memory of other tests is not counted.
  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["CURLEW_SANITIZER"] == nil,
      "A sanitizer's own memory is measured with it."))
  func `the items stay in the file, and leasing and finishing do not look at all of them`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let place = try StorePlace()
      let store = try await place.store()
      let before = try Self.residentBytes()
      for start in stride(from: 0, to: Self.count, by: 1_000) {
        let items = (start..<min(Self.count, start + 1_000)).map { BatchItem.sample("item \($0)", host: "h\($0 % 5)") }
        #expect(try await store.add(items) == items.count)
      }
      let grown = try Self.residentBytes() - before
      // The library's own pages and buffers are 8 MB at most, whatever the number of items.
      #expect(grown < 200 * Self.count + (8 << 20), "\(grown) bytes for \(Self.count) items")
      try await store.apply(.setRules(BatchRules(limit: 4, perHost: 1)))
      let begin = ContinuousClock.now
      for _ in 0..<500 {
        let lease = try #require(try await store.lease(1, for: .seconds(60)).leases.first)
        try await store.finish(lease.id, with: .success(1))
      }
      let each = begin.duration(to: .now) / 500
      #expect(try await store.summary().succeeded == 500)
      await store.close()
      print(
        "figure: \(Self.count) items, \(grown / Self.count) bytes each in the process, \(each) to lease and finish one")
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
  }
}
