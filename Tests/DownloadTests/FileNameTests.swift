import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

/// The file names of servers and attackers, from `../shared/data`, as the names of downloads into a directory.
@Suite(.timeLimit(.minutes(10))) struct FileNameTests {
  private static let data: URL = {
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root.appending(path: "../shared/data")
  }()

  private static func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: data.appending(path: name).path)
  }

  private struct ParserCase: Decodable {
    var fn: String
    var args: [String]

    private enum CodingKeys: String, CodingKey { case fn, args }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      fn = try values.decode(String.self, forKey: .fn)
      // Some arguments are no texts, since JavaScript takes anything.
      args = (try? values.decode([String].self, forKey: .args)) ?? []
    }
  }

  /// Downloads a byte with a `Content-Disposition`; whatever it says, one file with a harmless name is in the
  /// directory.
  private func download(_ disposition: String, _ site: Site) async throws {
    let stub = StubTransport(
      StubAnswer(headerFields: [.contentDisposition: disposition], body: [.bytes(Data([7]))]))
    let configuration = site.configuration(TwoVersions.url, to: .directory("/d"))
    let result = try await Downloader(Loader(stub), configuration, on: site.disk).run()
    let name = result.path.dropFirst("/d/".count)
    #expect(result.path.hasPrefix("/d/") && !name.contains("/") && !name.hasPrefix("."), "\(disposition)")
    #expect((1...255).contains(name.utf8.count), "\(disposition)")
    #expect(site.contents(result.path) == [7], "\(disposition)")
    #expect(try site.names() == [String(name)], "\(disposition)")
    try site.memory.remove(result.path)
  }

  @Test(.enabled(if: exists("content-disposition"), "shared/data/content-disposition is not there"))
  func `every file name of a corpus of headers names one file in the directory`() async throws {
    let text = try Data(contentsOf: Self.data.appending(path: "content-disposition/jshttp.json"))
    let headers = try JSONDecoder().decode([ParserCase].self, from: text).flatMap { $0.fn == "parse" ? $0.args : [] }
    #expect(headers.count > 100)
    let site = try Site()
    for header in headers { try await download(header, site) }
    #expect(try site.memory.list("/") == ["d"])
  }

  @Test(
    .enabled(if: exists("payloads"), "shared/data/payloads is not there"),
    arguments: ["payloads/Directory-Traversal.md", "payloads/CRLF-Injection.md"])
  func `no attack string of a collection leaves the directory`(file: String) async throws {
    let text = String(decoding: try Data(contentsOf: Self.data.appending(path: file)), as: UTF8.self)
    var attacks = Set<String>()
    for line in text.split(separator: "\n") {
      attacks.formUnion(line.split(whereSeparator: { "|` ,".contains($0) }).map(String.init))
    }
    #expect(attacks.count > 100)
    let site = try Site()
    for attack in attacks.sorted() {
      let extended = attack.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      try await download("attachment; filename=\"\(attack)\"", site)
      try await download("attachment; filename*=UTF-8''\(extended)", site)
    }
    #expect(try site.memory.list("/") == ["d"])
  }

  @Test func `a server cannot name the state of a download, of this one or of another`() async throws {
    let site = try Site()
    let place = PartialPlace(in: "/d", identifier: DownloadURL(TwoVersions.url).url)
    for path in [place.data, place.journal] {
      let name = String(path.dropFirst("/d/".count))
      let stub = StubTransport(
        StubAnswer(headerFields: [.contentDisposition: "attachment; filename=\"\(name)\""], body: [.bytes(Data([7]))]))
      var configuration = site.configuration(TwoVersions.url, to: .directory("/d"))
      configuration.file.collision = .replace
      let result = try await Downloader(Loader(stub), configuration, on: site.disk).run()
      #expect(result.path == "/d/" + name.dropFirst() && site.contents(result.path) == [7])
    }
    #expect(try site.names().count == 2)
  }
}
