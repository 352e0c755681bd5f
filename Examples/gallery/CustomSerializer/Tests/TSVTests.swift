import Curlew
import CurlewTestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import CustomSerializer

@Suite struct TSVTests {
  @Test func `the serializer keeps the rules that sessions and operations rely on`() throws {
    try SerializerConformance(
      .tsv, type: .tsv, samples: [Data("place\tcount\nSylt\t2\nAmrum\t\n".utf8), Data()],
      malformed: [Data("place\tcount\nSylt\n".utf8), Data("place\tplace\n".utf8), Data([0xFF, 0xFE, 0xFF])]
    ).run()
  }

  @Test func `a table is fetched, and its errors name the line`() async throws {
    let table = "place\tcount\nSylt\t2\n"
    let session = HTTPSession(
      StubTransport { asked in
        let text = asked.request.url.path == "/good" ? table : table + "Amrum\n"
        return StubAnswer(headerFields: [.contentType: "text/tab-separated-values"], body: [.bytes(Data(text.utf8))])
      })
    #expect(try await session.get("http://birds.test/good", .tsv) == [["place": "Sylt", "count": "2"]])
    let error = await #expect(throws: NetworkError.self) { try await session.get("http://birds.test/bad", .tsv) }
    #expect(error?.kind == .serializationFailed)
    #expect(error?.details.underlying as? TSVError == TSVError(line: 3, problem: "found 1 fields, expected 2"))
  }

  @Test func `a table is sent, unless the format cannot represent a field`() async throws {
    let sent = Mutex<[String]>([])
    let session = HTTPSession(
      StubTransport { asked in
        sent.withLock {
          $0 += [asked.request.headerFields[.contentType] ?? "", String(decoding: asked.body, as: UTF8.self)]
        }
        return StubAnswer(.noContent)
      })
    try await session.post("http://birds.test/", .tsv(["place", "count"], [["Sylt", "2"]]))
    #expect(sent.withLock { $0 } == ["text/tab-separated-values;charset=utf-8", "place\tcount\nSylt\t2\n"])
    let error = await #expect(throws: NetworkError.self) {
      try await session.post("http://birds.test/", .tsv(["place"], [["Sylt\tWest"]]))
    }
    #expect(error?.kind == .serializationFailed && sent.withLock { $0.count } == 2)
  }
}
