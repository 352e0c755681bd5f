import CurlewCore
import CurlewTestSupport
import Foundation
import Testing

@testable import CurlewTool

/// Where the files of a batch may be.
extension BatchToolTests {
  @Test func `no item replaces the store of its batch or one of its files, under any name or link`() async throws {
    let origin = try await ScriptedOrigin.start { Self.resource($0.path).reply(to: $0) }
    let place = try Place()
    try FileManager.default.createSymbolicLink(atPath: place.files + "/alias", withDestinationPath: "state")
    let names = ["state", "state-wal", "state-shm", "state-lock", "state-journal", "alias"]
    try place.write(names.map { origin.address("/\($0)") + "\t\($0)" } + [origin.address("/fine")])
    let run = try await place.run("--replace", "--store", place.files + "/state", place.list)
    #expect(run.status == 1 && run.output.contains("1 succeeded, 6 failed"), "\(run.output)\(run.errors)")
    #expect(run.errors.contains("store of this batch"), "\(run.errors)")
    #expect(origin.requests.map(\.path) == ["/fine"])
    let status = try await place.run("--status", "--store", place.files + "/state")
    #expect(status.status == 0 && status.output.contains("1 succeeded, 6 failed"), "\(status.output)\(status.errors)")
    await origin.stop()
  }

  @Test func `names are bytes: a mark that combines with a slash neither leaves the directory nor fails`() async throws
  {
    let origin = try await ScriptedOrigin.start { Self.resource($0.path).reply(to: $0) }
    let place = try Place()
    let outside = place.folder + "/outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: place.files + "/link", withDestinationPath: outside)
    // Also out of a directory whose name is another form of the same text.
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    let root = place.folder + "/" + composed
    for path in [root, place.folder + "/" + decomposed] {
      try LocalFileSystem().createDirectory(path)
    }
    try FileManager.default.createSymbolicLink(
      atPath: root + "/out", withDestinationPath: place.folder + "/" + decomposed)
    let names = ["\u{301}mark", "d/\u{301}mark", composed, decomposed]
    try place.write(
      (["link/\u{301}x"] + names).enumerated().map { origin.address("/\($0.offset)") + "\t\($0.element)" })
    let begin = ContinuousClock.now
    let run = try await place.run(place.list)
    #expect(run.status == 1 && run.output.contains("4 succeeded, 1 failed"), "\(run.output)\(run.errors)")
    #expect(begin.duration(to: .now) < .seconds(50), "equal names waited for a lease to end")
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == [])
    for (index, name) in names.enumerated() {
      #expect(try LocalFileSystem().status(place.files + "/" + name)?.length == Self.resource("/\(index + 1)").length)
    }
    try place.write([origin.address("/x") + "\tout/x"])
    let escaping = try await ToolRun(["batch", "-O", root, "--progress", "none", place.list])
    #expect(escaping.status == 1 && escaping.errors.contains("leads out of the directory"), "\(escaping.errors)")
    #expect(try LocalFileSystem().list(place.folder + "/" + decomposed) == [])
    await origin.stop()
  }
}
