import CurlewCore
import Glibc
import Testing

/// Processes that rename at once, each a real one.
@Suite(.timeLimit(.minutes(10))) struct RenameRaceTests {
  private static let rounds = 20
  private static let racers = 16

  @Test(arguments: LocalFileSystemNamesTests.places)
  func `of 16 processes that want one name at once without replacing, one gets it`(_ place: String) async throws {
    let directory = TemporaryDirectory(in: place)
    let track = RaceTrack(directory.path)
    for round in 0..<Self.rounds {
      #expect(mkfifo(track.gate(round), 0o600) == 0)
      for racer in 0..<Self.racers { try track.make(track.runner(round, racer), UInt8(racer)) }
    }
    await withTaskGroup { group in
      for racer in 0..<Self.racers {
        group.addTask {
          await #expect(processExitsWith: .success) { [path = track.path as String, racer = racer as Int] in
            let track = RaceTrack(path)
            for round in 0..<20 { try track.run(round, racer, of: 16) }
          }
        }
      }
    }
    for round in 0..<Self.rounds {
      let winners = try (0..<Self.racers).filter { try track.files.status(track.won(round, $0)) != nil }
      let gone = try (0..<Self.racers).filter { try track.files.status(track.runner(round, $0)) == nil }
      #expect(winners.count == 1, "round \(round)")
      #expect(gone == winners, "round \(round)")
      #expect(try track.byte(track.goal(round)) == winners.first.map { UInt8($0) }, "round \(round)")
    }
  }
}

/// The files of a race in a directory.
private struct RaceTrack: Sendable {
  let path: String
  let files = LocalFileSystem()

  init(_ path: String) { self.path = path }

  /// A FIFO, which opens for all who want to read it when one process opens it for writing.
  func gate(_ round: Int) -> String { "\(path)/gate-\(round)" }
  func goal(_ round: Int) -> String { "\(path)/goal-\(round)" }
  func runner(_ round: Int, _ racer: Int) -> String { "\(path)/runner-\(round)-\(racer)" }
  func won(_ round: Int, _ racer: Int) -> String { "\(path)/won-\(round)-\(racer)" }
  private func ready(_ round: Int, _ racer: Int) -> String { "\(path)/ready-\(round)-\(racer)" }

  func make(_ path: String, _ byte: UInt8 = 1) throws {
    let file = try files.open(path, [.write, .create])
    try [byte].withUnsafeBytes { try file.write($0, at: 0) }
    try file.close()
  }

  func byte(_ path: String) throws -> UInt8 {
    var byte: UInt8 = 0
    _ = try withUnsafeMutableBytes(of: &byte) { try files.open(path, .read).read(into: $0, at: 0) }
    return byte
  }

  /// Takes part in a round, in a process of its own.
  func run(_ round: Int, _ racer: Int, of racers: Int) throws {
    try make(ready(round, racer))
    // The last to come opens the gate for all, and leaves it open for who is late.
    let isLast = !(0..<racers).contains { access(ready(round, $0), F_OK) != 0 }
    guard open(gate(round), (isLast ? O_RDWR : O_RDONLY) | O_CLOEXEC) >= 0 else {
      throw FileSystemError(code: errno, operation: "open", path: gate(round))
    }
    let result = code { try files.rename(runner(round, racer), to: goal(round), replacing: false) }
    if result == EEXIST { return }
    guard result == 0 else { throw FileSystemError(code: result, operation: "rename", path: goal(round)) }
    try make(won(round, racer))
  }
}
