import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct ResponseBodyTests {
  @Test func `a body of bytes that was cancelled is not taken for an empty one`() async throws {
    let body = ResponseBody(Data([1, 2, 3]))
    body.cancel()
    await #expect(throws: CancellationError.self) { try await body.collect(upTo: 9) }
  }

  @Test func `one that is cancelled behind its bytes does not end well either, and after its end nothing changes`()
    async throws
  {
    let cut = ResponseBody(Data([1]))
    var iterator = cut.makeAsyncIterator()
    #expect(try await iterator.next() == Data([1]))
    cut.cancel()
    await #expect(throws: CancellationError.self) { try await iterator.next() }

    let whole = ResponseBody(Data([1]), trailers: [.eTag: "\"a\""])
    #expect(try await whole.collect(upTo: 1) == Data([1]))
    whole.cancel()
    #expect(whole.trailers == [.eTag: "\"a\""])
  }

  @Test(arguments: [("5", 5), ("5, 5", 5), ("+5", nil), ("-1", nil), ("5, 6", nil), ("", nil)] as [(String, Int64?)])
  func `an announced length is a number of bytes`(value: String, length: Int64?) throws {
    let url = try #require(URL(string: "http://a.test/"))
    #expect(ResponseHead(url: url, status: .ok, headerFields: [.contentLength: value]).expectedLength == length)
  }
}
