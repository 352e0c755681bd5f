import Glibc

/// The work that is measured, equal for every peer.
///
/// A program does nothing else, so that its process can be measured from outside, like curl or a program in another language.
public enum Work: Sendable {
  /// GETs a URL many times, some at once.
  case get(url: String, count: Int, inFlight: Int)
  /// GETs a record many times, some at once, and decodes it.
  case record(url: String, count: Int, inFlight: Int)
  /// Downloads a URL to a file.
  case download(url: String, path: String)
  /// Prints the body of a URL.
  case text(url: String)

  /// Reads the program's arguments, does the work and ends the process if that fails.
  public static func run(with peer: some Peer) async {
    guard let work = Work(CommandLine.arguments.dropFirst()) else {
      fail("usage: get|record URL COUNT INFLIGHT, download URL FILE, text URL")
    }
    do { try await work.run(with: peer) } catch { fail(String(describing: error)) }
  }

  init?(_ arguments: ArraySlice<String>) {
    let words = Array(arguments)
    switch (words.first, words.count) {
    case ("get", 4), ("record", 4):
      guard let count = Int(words[2]), let inFlight = Int(words[3]), count > 0, inFlight > 0 else { return nil }
      self =
        words[0] == "get"
        ? .get(url: words[1], count: count, inFlight: inFlight)
        : .record(url: words[1], count: count, inFlight: inFlight)
    case ("download", 3): self = .download(url: words[1], path: words[2])
    case ("text", 2): self = .text(url: words[1])
    default: return nil
    }
  }

  private func run(with peer: some Peer) async throws {
    switch self {
    case .get(let url, let count, let inFlight):
      try await Self.repeated(count, inFlight) {
        let bytes = try await peer.bytes(of: url)
        guard bytes == 1000 else { throw WrongAnswer("The body had \(bytes) bytes instead of 1,000.") }
      }
    case .record(let url, let count, let inFlight):
      try await Self.repeated(count, inFlight) {
        let record = try await peer.record(of: url)
        guard record.isRight else { throw WrongAnswer("The record has other values than the file.") }
      }
    case .download(let url, let path): try await peer.download(url, to: path)
    case .text(let url): print(try await peer.text(of: url))
    }
  }

  private static func repeated(
    _ count: Int, _ inFlight: Int, _ once: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<inFlight {
        let share = count / inFlight + (index < count % inFlight ? 1 : 0)
        group.addTask { for _ in 0..<share { try await once() } }
      }
      try await group.waitForAll()
    }
  }

  private static func fail(_ message: String) -> Never {
    let line = message + "\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
  }
}
