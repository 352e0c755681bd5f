import CurlewBatch
import CurlewCore
import CurlewLoading
import CurlewSQLiteBatchStore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

extension DemoStep {
  static let batch = DemoStep(
    title: "A batch with progress.",
    explanation:
      "Twelve files and one that is not there, four at a time. Run again, the batch asks for the missing one and nothing else."
  ) { stage in
    let names = (1...12).map { "\($0).bin" }
    let lines = names.map { stage.origin.address("/flock/\($0)") } + [stage.origin.address("/missing.bin")]
    let items = try lines.map { line in DownloadItem(try present(ListedItem(Data(line.utf8)))).batchItem }
    let store = try await SQLiteBatchStore(stage.folder + "/.batch")
    try await store.add(items)
    let directory = stage.folder + "/flock"
    try LocalFileSystem().createDirectory(directory)
    let first = try await stage.work(on: store, in: directory)
    try expect(first.succeeded == 12 && first.failed == 1, "\(first.succeeded) succeeded and \(first.failed) failed")
    let requests = stage.origin.requests.count
    let second = try await stage.work(on: store, in: directory)
    let again = stage.origin.requests.dropFirst(requests).map(\.path)
    await store.close()
    try expect(again == ["/missing.bin"], "the second run asked for \(again)")
    try expect(second.succeeded == 12, "\(second.succeeded) files are complete after the second run")
    let files = try FileManager.default.contentsOfDirectory(atPath: directory)
    try expect(Set(files) == Set(names), "the files are \(files.sorted())")
    return
      "12 of 13 files, \(DecimalText.bytes(12 * DemoOrigin.flockSize)); the second run sent 1 request, for missing.bin."
  }
}

extension DemoStage {
  /// Works on a store as `curlew batch` does, with progress.
  fileprivate func work(on store: any BatchStore, in directory: String) async throws -> BatchSummary {
    let place = try ItemPlace(directory)
    let kept = try await BatchRun.reopen(store, at: place)
    let fetcher = Fetcher(loader: loader, options: Fetcher.Options(resumes: true)) { _ in ExchangeSettings() }
    let before = try await store.summary()
    let display = ProgressDisplay(
      progress, count: before.total, done: kept, bytes: before.progress.endedBytes, showsBody: false)
    let run = BatchRun(store, at: place, fetcher: fetcher, display: display, parallel: 4) { try Request(.get, $0) }
    try await display.during { try await run.run { _ in } }
    return try await store.summary()
  }
}
