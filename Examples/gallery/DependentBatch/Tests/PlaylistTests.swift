import Curlew
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import DependentBatch

@Suite(.timeLimit(.minutes(10))) struct PlaylistTests {
  private let songs = ["avocet", "curlew", "godwit", "knot"]

  /// Runs the batch against a server that lacks some songs; returns the outcomes, the paths in their order, and the playlist.
  private func run(
    without missing: Set<String> = []
  ) async throws -> (
    outcomes: [BatchOutcome], asked: [String], list: String?
  ) {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-playlist-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let origin = try await ScriptedOrigin.start { request in
      missing.contains(request.path) ? .status(404) : .ok("the content of \(request.path)")
    }
    let transport = try CurlTransport()
    let batch = Batch(over: Loader(transport), store: MemoryBatchStore(BatchRules(limit: 4, perHost: 2)))
    try await Playlist(site: origin.address("/"), directory: folder).add(songs, to: batch)
    var outcomes: [BatchOutcome] = []
    for try await outcome in batch { outcomes.append(outcome) }
    let list = try? String(decoding: Data(contentsOf: URL(filePath: folder + "/playlist.m3u")), as: UTF8.self)
    let asked = origin.requests.map(\.path)
    await transport.shutdown()
    await origin.stop()
    return (outcomes, asked, list)
  }

  @Test func `the index comes first, then the songs, and the playlist last`() async throws {
    let (outcomes, asked, list) = try await run()
    #expect(outcomes.map(\.name).first == "index" && outcomes.map(\.name).last == "playlist")
    #expect(outcomes.allSatisfy(\.result.isSuccess) && outcomes.count == 6)
    #expect(asked.first == "/index.json" && Set(asked.dropFirst()) == Set(songs.map { "/\($0).ogg" }))
    #expect(list == "avocet.ogg\ncurlew.ogg\ngodwit.ogg\nknot.ogg\n")
  }

  @Test func `a song that is missing costs the playlist, and no other song`() async throws {
    let (outcomes, _, list) = try await run(without: ["/godwit.ogg"])
    let sentences = Dictionary(uniqueKeysWithValues: outcomes.map { ($0.name, $0.sentence) })
    #expect(sentences["song godwit"]?.hasPrefix("song godwit failed: ") == true)
    #expect(sentences["playlist"] == "playlist was skipped because of song godwit.")
    #expect(outcomes.count { $0.result.isSuccess } == 4 && list == nil)
  }

  @Test func `without the index nothing else is asked for`() async throws {
    let (outcomes, asked, _) = try await run(without: ["/index.json"])
    #expect(asked == ["/index.json"] && outcomes.count == 6)
    #expect(outcomes.dropFirst().allSatisfy { $0.sentence.hasSuffix("was skipped because of index.") })
  }
}
