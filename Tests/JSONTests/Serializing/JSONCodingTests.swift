import CurlewCore
import CurlewJSON
import CurlewSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct JSONCodingTests {
  struct Sighting: Codable, Equatable {
    var place: String?
    var date: Date
  }

  @Test func `a value with a date comes back as it was`() throws {
    let coding = JSONCoding()
    let sighting = Sighting(place: "Estuary", date: Date(timeIntervalSince1970: 1_700_000_000))
    let bytes = try coding.encode(sighting)
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"place":"Estuary","date":"2023-11-14T22:13:20Z"}"#)
    #expect(try coding.decode(Sighting.self, from: bytes, nil) == sighting)
  }

  @Test func `an empty body is null, and nulls can be removed first`() throws {
    var coding = JSONCoding()
    #expect(try coding.decode(Int?.self, from: Data(), nil) == nil)
    #expect(throws: DecodingError.self) { try coding.decode(Int.self, from: Data([0x20]), nil) }
    let bytes = Data(#"{"a":null,"b":[1,null]}"#.utf8)
    #expect(throws: DecodingError.self) { try coding.decode([String: [Int]].self, from: bytes, nil) }
    coding.removesNulls = true
    #expect(try coding.decode([String: [Int]].self, from: bytes, nil) == ["b": [1]])
  }

  @Test func `any coding makes a serializer with its validation`() throws {
    let serializer = CodingResponseSerializer([Int].self, by: JSONCoding())
    let url = try #require(URL(string: "http://h.test/"))
    let head = ResponseHead(url: url, status: .ok, headerFields: [.contentType: "application/vnd.api+json"])
    #expect(try serializer.output(of: head, Data("[1]".utf8)) == [1])
    let text = ResponseHead(url: url, status: .ok, headerFields: [.contentType: "text/plain"])
    #expect(throws: NetworkError.self) { try serializer.output(of: text, Data("[1]".utf8)) }
    #expect(throws: NetworkError.self) { try serializer.output(of: head, Data("[".utf8)) }
  }
}
