import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

extension DemoStep {
  static let download = DemoStep(
    title: "A download, with progress.",
    explanation: "24 MiB at 12 MiB a second go from the transport's buffer into a file, which appears when it is whole."
  ) { stage in
    let results = try await stage.fetch(["/voyage.bin"])
    let result = try present(results.first)
    try expect(result.failure == nil, "the download failed: \(String(describing: result.failure))")
    try expect(result.bytes == DemoOrigin.fileSize, "\(result.bytes) bytes came")
    let expected = try DemoOrigin.digest(seed: 1, count: DemoOrigin.fileSize)
    try expect(result.digest == expected, "the file's SHA-256 is not the origin's")
    return "\(DecimalText.bytes(result.bytes)), SHA-256 \(expected.prefix(16))… as the origin made it."
  }

  static let parallelDownloads = DemoStep(
    title: "Four downloads at once.",
    explanation: "Each on a connection of its own, each limited to 4 MiB a second by the origin."
  ) { stage in
    let paths = ["/1.bin", "/2.bin", "/3.bin", "/4.bin"]
    let results = try await stage.fetch(paths)
    for (path, result) in zip(paths, results) {
      let expected = try DemoOrigin.digest(seed: DemoOrigin.seed(of: path), count: DemoOrigin.partSize)
      try expect(result.failure == nil && result.digest == expected, "\(path) is not what the origin sent")
    }
    let most = stage.origin.counters.connectionsPeak
    try expect(most >= 4, "no more than \(most) connections were open at once")
    return "4 files of \(DecimalText.bytes(DemoOrigin.partSize)), all as sent, over \(most) connections at once."
  }

  static let refusedStatus = DemoStep(
    title: "A file that is not there.",
    explanation: "The origin answers 404 with a page. No byte of that page may end up in the file."
  ) { stage in
    let results = try await stage.fetch(["/missing.bin"])
    let failure = try present(results.first?.failure)
    try expect(failure.kind == "unacceptable-status", "the kind is \(failure.kind)")
    try expect(try stage.files().allSatisfy { $0 != "missing.bin" }, "a file was made")
    return "\(failure.message) No file was made."
  }

  static let cutDownload = DemoStep(
    title: "A download that is cut off.",
    explanation:
      "The origin promises 24 MiB and closes the connection after half. Short data must not look like success."
  ) { stage in
    let results = try await stage.fetch(["/cut.bin"])
    let failure = try present(results.first?.failure)
    try expect(failure.kind == "truncated-body" || failure.kind == "connection-lost", "the kind is \(failure.kind)")
    try expect(try stage.files().allSatisfy { !$0.contains("cut") && !$0.contains(".part") }, "a part was left behind")
    return "\(failure.kind): \(failure.message) Nothing was left behind."
  }

  static let slowReader = DemoStep(
    title: "A reader that takes its time.",
    explanation:
      "256 MiB are on offer; the reader takes one chunk and thinks. What it has not asked for stays at the origin."
  ) { stage in
    // An origin of its own, so that no other step's connection is counted.
    let origin = try await ScriptedOrigin.start { await DemoOrigin.answer($0) }
    let response = try await stage.loader.load(Request(.get, origin.url("/endless.bin")))
    var iterator = response.body.makeAsyncIterator()
    let first = try await iterator.next()
    try await SystemClock().sleep(until: .now + .milliseconds(500))
    response.body.cancel()
    // The origin counts a connection's bytes when it is closed.
    await origin.until { $0.bytesSent > 0 }
    let sent = origin.counters.bytesSent
    await origin.stop()
    try expect(sent < 64 << 20, "the origin could send \(sent) bytes")
    return
      "\(first?.count ?? 0) bytes read in half a second; of 268.4 MB the origin got rid of \(DecimalText.bytes(sent))."
  }
}
