import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewRequests
import CurlewSession
import CurlewSessionManagers
import CurlewTestSupport
import Foundation
import HTTPTypes

extension DemoStep {
  static let managers = DemoStep(
    title: "A manager's tasks, and a session that goes on after a restart.",
    explanation:
      "A task waits for its resume. Two downloads of a background session are left in the middle; the next one finishes them."
  ) { stage in
    let birds = stage.manager()
    let task = birds.dataTask(with: Request(.get, stage.origin.url("/birds/7")), completion: nil)
    try expect(task.state == .suspended, "a new task is \(task.state)")
    let bird = try await task.value
    try expect("\(bird)".contains("Numenius arquata"), "the value is \(bird)")

    let (ends, told) = AsyncStream.makeStream(of: BackgroundEnd.self)
    var names = ComponentNames()
    names[.demo] = BackgroundHandler { end in told.yield(end) }
    let paths = ["/lagoon.bin", "/strait.bin"]
    let first = try await BackgroundSession("demo", in: stage.folder, of: stage.manager(), names: names)
    for path in paths {
      try await first.downloadTask(
        with: Request(.get, stage.origin.url(path)), to: .file(stage.folder + path), handler: .demo
      ).resume()
    }
    let downloads = first.tasks.compactMap { $0 as? DownloadTask }
    while downloads.contains(where: { $0.download.completed < DemoOrigin.partSize / 3 }) {
      try await SystemClock().sleep(until: .now + .milliseconds(5))
    }
    await first.close()
    let kept = downloads.map(\.download.completed)
    try expect(try stage.files().allSatisfy { !paths.contains("/" + $0) }, "a file appeared before it was complete")

    let second = try await BackgroundSession("demo", in: stage.folder, of: stage.manager(), names: names)
    try await second.finished()
    await second.close()
    told.finish()
    var files: [String] = []
    for await end in ends { if case .file(let path, _) = end.result { files.append(path) } }
    try expect(files.sorted() == paths.map { stage.folder + $0 }, "the handler was told of \(files)")
    for (path, kept) in zip(paths, kept) {
      try stage.expectResumed(path, at: kept)
      try expect(
        try stage.digest(of: stage.folder + path) == DemoOrigin.digest(seed: 6, count: DemoOrigin.partSize),
        "the bytes of \(path) differ")
    }
    return
      "left with \(kept.map(DecimalText.bytes).joined(separator: " and ")); both ended in the next session, as sent."
  }
}

extension ComponentName<BackgroundHandler> {
  fileprivate static let demo = Self("demo")
}

extension DemoStage {
  /// A manager over the stage's transport, which posts no notifications, because the demo does not run the main queue.
  fileprivate func manager() -> URLSessionManager {
    let manager = URLSessionManager(SessionConfiguration(.shared(transport)))
    manager.completionQueue = DispatchQueue(label: "demo.managers")
    manager.postsNotifications = false
    return manager
  }
}
