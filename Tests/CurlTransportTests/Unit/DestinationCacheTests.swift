import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

@Suite struct DestinationCacheTests {
  @Test func `a URL leads to the same place the second time, and no other URL does`() throws {
    let cache = DestinationCache()
    // More than are kept, twice.
    for _ in 0..<2 {
      for number in 0..<200 {
        let request = try Request(.get, "http://h\(number).test:8080/a?b=\(number)")
        let destination = try cache.destination(of: request)
        #expect(destination.origin.host == "h\(number).test" && destination.origin.port == 8080)
        #expect(destination.target == "http://h\(number).test:8080/a?b=\(number)")
      }
    }
  }

  @Test func `what is refused once is refused again`() throws {
    let cache = DestinationCache()
    let url = try #require(URL(string: "ftp://a.test/"))
    for _ in 0..<2 {
      #expect(throws: NetworkError.self) { try cache.destination(of: Request(.get, url)) }
    }
  }
}
