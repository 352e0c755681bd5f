import CurlewCore
import CurlewDownload
import CurlewSession
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

@Suite(.timeLimit(.minutes(10))) struct FileReservationsTests {
  @Test(arguments: Carrier.allCases)
  func `several downloads of one URL into one directory run at once`(_ carrier: Carrier) async throws {
    let gate = OriginGate()
    let resource = SeededResource(length: 100_000, seed: 9)
    let origin = try await ScriptedOrigin.start { request in
      OriginReply(
        .head(200, ["Content-Length": "100000", "ETag": resource.entityTag ?? ""]),
        .fill(resource.pattern, count: 50_000), .wait(for: gate), .fill(resource.pattern, from: 50_000, count: 50_000))
    }
    try await Fixture.withDirectory { directory in
      let manager = Fixture.manager(carrier.configuration)
      let ends = Collected<(String?, (any Error)?)>()
      for _ in 0..<3 {
        manager.downloadTask(
          with: Request(.get, origin.url("/file")), to: .directory(directory),
          changing: { $0.file.collision = .number }, completion: { _, path, error in ends.append((path, error)) }
        ).resume()
      }
      await origin.until { $0.requests == 3 }
      gate.open()
      await Fixture.wait(while: ends.all.count < 3)
      #expect(ends.all.compactMap { $0.1 as? NetworkError }.map(\.kind) == [])
      let paths = ["file", "file-2", "file-3"].map { Optional("\(directory)/\($0)") }
      #expect(Set(ends.all.map(\.0)) == Set(paths))
      for name in ["file", "file-2", "file-3"] {
        #expect(FileManager.default.contents(atPath: "\(directory)/\(name)") == Data(resource.bytes(count: 100_000)))
      }
    }
    await origin.stop()
  }

  @Test func `identifiers are the same in each process, and free again after the end`() throws {
    let url = try #require(URL(string: "http://birds.test/atlas"))
    var claims = FileReservations()
    let target = DownloadTarget.directory("/srv")
    let (first, one) = claims.claim(target, for: url, isResumed: false)
    let (second, two) = claims.claim(target, for: url, isResumed: false)
    #expect(first.identifier == nil && second.identifier == "http://birds.test/atlas#2")
    #expect(claims.claim(.directory("/other"), for: url, isResumed: false).0.identifier == nil)
    #expect(claims.claim(.file("/srv/a"), for: url, isResumed: false).1 == nil)
    // What names its bytes keeps the name, also if they are in use.
    #expect(claims.claim(.directory("/srv", identifier: "own"), for: url, isResumed: false).0.identifier == "own")
    #expect(claims.claim(target, for: url, isResumed: true).0.identifier == nil)
    claims.release(try #require(one))
    #expect(claims.claim(target, for: url, isResumed: false).0.identifier == "http://birds.test/atlas#3")
    claims.release(try #require(one))
    claims.release(try #require(two))
    #expect(claims.claim(target, for: url, isResumed: false).0.identifier == nil)
  }
}
