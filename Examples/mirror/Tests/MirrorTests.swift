import Foundation
import Testing

private let environment = ProcessInfo.processInfo.environment
/// The folder that nginx serves.
private let source = environment["CURLEW_MIRROR_SOURCE"]

/// The program, run as a process, against nginx and PostgreSQL; `Scripts/mirror` starts both.
@Suite(.serialized, .enabled(if: source != nil, "Scripts/mirror starts the servers"))
struct MirrorTests {
  /// The listing.
  private static var address: String {
    get throws { try #require(environment["CURLEW_NGINX_HTTP"]) + "/listing/" }
  }

  private func check(_ copy: URL) throws {
    let folder = URL(filePath: try #require(source))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let found = try FileManager.default.contentsOfDirectory(atPath: copy.path).filter { !$0.hasPrefix(".") }
    #expect(Set(found) == Set(names) && names.count == 1_001)
    for name in names {
      let copied = try Data(contentsOf: copy.appendingPathComponent(name))
      let original = try Data(contentsOf: folder.appendingPathComponent(name))
      #expect(copied == original, "\(name)")
    }
  }

  private func place() -> URL { FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString) }

  @Test func `one process mirrors the listing, goes on after a kill, and does nothing more in the end`() throws {
    let copy = place()
    defer { try? FileManager.default.removeItem(at: copy) }
    let first = try MirrorRun(of: Self.address, in: copy)
    // Sleeps because a kill at any instant is what is tested.
    Thread.sleep(forTimeInterval: 0.5)
    first.kill()
    let second = try MirrorRun(of: Self.address, in: copy).end()
    #expect(second.status == 0 && second.text.contains("1002 of 1002 succeeded"), "\(second.text)")
    try check(copy)
    let third = try MirrorRun(of: Self.address, in: copy).end()
    #expect(third.status == 0 && third.text.contains("1002 of 1002 succeeded, 0 begun here"), "\(third.text)")
    print("figure: one process, killed once: \(second.text)")
  }

  @Test func `three processes mirror the listing together over PostgreSQL`() throws {
    let (copy, schema) = (place(), "mirror_\(UInt64.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: copy) }
    let begin = ContinuousClock.now
    let ends = try (0..<3).map { _ in try MirrorRun(of: Self.address, in: copy, schema: schema) }.map { try $0.end() }
    for end in ends { #expect(end.status == 0 && end.text.contains("1002 of 1002 succeeded"), "\(end.text)") }
    try check(copy)
    let begun = ends.compactMap { end in
      end.text.split(separator: ", ").last.flatMap { Int($0.split(separator: " ").first ?? "") }
    }
    #expect(begun.count == 3 && begun.reduce(0, +) == 1_002, "\(begun)")
    #expect(begun.filter { $0 > 0 }.count > 1, "\(begun)")
    print("figure: three processes over PostgreSQL began \(begun) items, \(begin.duration(to: .now))")
  }
}
