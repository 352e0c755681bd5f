import CurlewBatch
import CurlewJSON

/// Prints the state of a store, and what came of a run.
struct BatchReport: Sendable {
  let store: any BatchStore

  /// The limit of failures that a summary names.
  private static let mostFailures = 20

  /// Prints the summary of a run, with the failures that it has not printed: those of other processes, or all if it was silent.
  ///
  /// - Parameters:
  ///   - kept: How many files were complete before.
  ///   - bytes: How many bytes were fetched.
  ///   - told: The names of the items whose failures were printed when they happened.
  /// - Returns: Whether all items have succeeded.
  func printSummary(kept: Int, bytes: Int64, _ duration: Duration, told: Set<String> = []) async throws -> Bool {
    let summary = try await store.summary()
    var untold = 0
    try await forEachFailure { name, failure in
      guard !told.contains(name) else { return }
      untold += 1
      guard untold <= Self.mostFailures else { return }
      try StandardOutput.write("failed \(name): \(failure.message) (\(failure.kind))\n")
    }
    if untold > Self.mostFailures {
      try StandardOutput.write("… and \(untold - Self.mostFailures) more; curlew batch --status names all of them\n")
    }
    let before = kept > 0 ? " (\(kept) of them before)" : ""
    let cancelled = summary.cancelled > 0 ? ", \(summary.cancelled) cancelled" : ""
    try StandardOutput.write(
      """
      \(summary.succeeded) succeeded\(before), \(summary.failed) failed, \(summary.skipped) skipped\(cancelled); \
      \(DecimalText.bytes(bytes)) in \(DecimalText.of(duration.inSeconds, digits: 1)) s

      """)
    return summary.succeeded == summary.total
  }

  /// Returns a sentence about an interruption: what is done, and how to go on.
  func interruption(isKept: Bool) async throws -> String {
    let summary = try await store.summary()
    // As the bar counts them.
    let ended = summary.succeeded + summary.failed
    let failures = summary.failed > 0 ? ", \(summary.failed) of them failed" : ""
    let skipped = summary.skipped > 0 ? "; \(summary.skipped) were skipped" : ""
    let advice =
      isKept ? "run the same command to continue" : "--store memory kept no state, so another run starts over"
    return "curlew: Interrupted: \(ended) of \(summary.total) done\(failures)\(skipped); \(advice)."
  }

  /// Prints the state as text, one line for each failure below.
  func printStatus() async throws {
    let summary = try await store.summary()
    let percent = DecimalText.of(summary.progress.fraction * 100, digits: 1)
    var waiting = "\(summary.ready) ready, \(summary.running) running"
    if summary.blocked > 0 { waiting += ", \(summary.blocked) blocked" }
    if summary.paused > 0 { waiting += ", \(summary.paused) paused" }
    try StandardOutput.write(
      """
      \(summary.total) items, \(percent) % of the bytes: \(waiting), \(summary.succeeded) succeeded, \(summary.failed) failed, \
      \(summary.cancelled) cancelled, \(summary.skipped) skipped

      """)
    if let name = summary.stoppedBy { try StandardOutput.write("stopped by \(name)\n") }
    try await forEachFailure { name, failure in
      try StandardOutput.write("failed \(name): \(failure.message) (\(failure.kind))\n")
    }
  }

  /// Prints the state as one JSON object on a line, and one for each failure on the lines below.
  func printStatusAsJSON() async throws {
    let summary = try await store.summary()
    var state = JSONObject()
    let counts = [
      ("items", summary.total), ("blocked", summary.blocked), ("ready", summary.ready), ("running", summary.running),
      ("paused", summary.paused), ("succeeded", summary.succeeded), ("failed", summary.failed),
      ("cancelled", summary.cancelled), ("skipped", summary.skipped),
    ]
    for (name, count) in counts { state[name] = JSONValue(integer: Int64(count)) }
    state["complete"] = .bool(summary.isComplete)
    state["bytes"] = JSONValue(integer: summary.progress.endedBytes)
    state["stoppedBy"] = summary.stoppedBy.map(JSONValue.string)
    try StandardOutput.write(JSONValue.object(state).text() + "\n")
    try await forEachFailure { name, failure in
      let line: JSONObject = [
        "name": .string(name), "kind": .string(failure.kind), "message": .string(failure.message),
      ]
      try StandardOutput.write(JSONValue.object(line).text() + "\n")
    }
  }

  /// Reads the failures page by page, so that any number of them takes the same memory.
  private func forEachFailure(_ body: (String, BatchFailure) throws -> Void) async throws {
    var position: Int64 = 0
    while true {
      let outcomes = try await store.outcomes(after: position, limit: 1_000)
      guard let last = outcomes.last else { return }
      position = last.position
      for outcome in outcomes {
        if case .failed(let failure) = outcome.result { try body(outcome.name, failure) }
      }
      try Task.checkCancellation()
    }
  }
}
