import CurlewCore
import FoundationEssentials
import Glibc

/// A file to which the results of one transport are added, a line for each rule that was checked.
///
/// A line has three fields, separated by tabs: the rule, `passed`, `skipped` or `broken`, and the reason. Several processes may add to
/// one file. Beside it, `rules.tsv` describes all rules: topic, name, sentence, source and reason.
///
/// ```swift
/// let folder = ProcessInfo.processInfo.environment["CURLEW_CONFORMANCE_RESULTS"]
/// let conformance = TransportConformance(endpoint: endpoint, recording: ConformanceRecord("pigeon", in: folder))
/// ```
public struct ConformanceRecord: Sendable {
  private let path: String

  /// Opens the file of a transport; nil without a folder.
  ///
  /// - Parameters:
  ///   - name: The name of the transport, and of its file without `.tsv`.
  ///   - folder: The path of the folder, which is created if necessary; nil and an empty path record nothing.
  public init?(_ name: String, in folder: String?) {
    guard let folder, !folder.isEmpty else { return nil }
    path = folder + "/\(name.replacing("/", with: "-")).tsv"
    _ = Self.rules(folder)
  }

  /// Adds a rule that is not violated.
  ///
  /// - Throws: `CocoaError` when the line cannot be written, so that a run never counts without its record.
  func add(_ rule: ConformanceRule, _ outcome: ConformanceOutcome) throws {
    switch outcome {
    case .passed: try add([rule.id, "passed", ""])
    case .skipped(let reason): try add([rule.id, "skipped", reason])
    }
  }

  /// Adds a rule that is violated.
  ///
  /// - Throws: As for one that is not.
  func add(_ rule: ConformanceRule, _ failure: ConformanceFailure) throws {
    try add([rule.id, "broken", failure.sentence])
  }

  private func add(_ fields: [String]) throws {
    let line = Self.line(fields)
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(descriptor) }
    // Safe because the bytes are read inside the call only. One call appends the whole line.
    let count = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count == line.count else { throw CocoaError(.fileWriteUnknown) }
  }

  private static func line(_ fields: [String]) -> [UInt8] {
    let clean = fields.map { field in String(field.map { $0.isNewline || $0 == "\t" ? " " : $0 }) }
    return [UInt8]((clean.joined(separator: "\t") + "\n").utf8)
  }

  /// Writes the descriptions of all rules, once in each process.
  private static func rules(_ folder: String) -> Bool {
    written.withLock { $0.insert(folder).inserted } && describe(folder)
  }

  private static let written = Guarded<Set<String>>([])

  private static func describe(_ folder: String) -> Bool {
    let lines = TransportConformance.topics.flatMap { topic in
      topic.rules.flatMap { line([topic.name, $0.id, $0.sentence, $0.source, $0.reason]) }
    }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(lines).write(to: URL(filePath: folder + "/rules.tsv"), options: .atomic)
      return true
    } catch {
      return false
    }
  }
}
