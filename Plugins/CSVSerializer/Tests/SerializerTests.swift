import CurlewCSV
import CurlewCore
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct SerializerTests {
  private struct Bird: Codable, Sendable, Equatable {
    var name: String
    var legs: Int?
  }

  private func head(_ type: String? = "text/csv", status: Int = 200) throws -> ResponseHead {
    var fields = HTTPFields()
    fields[.contentType] = type
    let url = try #require(URL(string: "http://h/"))
    return ResponseHead(url: url, status: HTTPResponse.Status(code: status), headerFields: fields)
  }

  @Test func `the response serializers conform`() throws {
    let samples = [Data("name,legs\r\n\"Cur\"\"lew\",2\r\né,\r\n".utf8)]
    let malformed = [
      Data("name,legs\r\n\"Curlew".utf8), Data("name\"\n".utf8), Data([0xFF]), Data("name,legs\n1\n".utf8),
    ]
    try SerializerConformance(.csv(Bird.self), type: .csv, samples: samples, malformed: malformed).run()
    try SerializerConformance(.csvTable, type: .csv, samples: samples, malformed: malformed).run()
    let coding = CodingResponseSerializer([Bird].self, by: .csv)
    try SerializerConformance(coding, type: .csv, samples: samples, malformed: malformed).run()
  }

  @Test func `the request serializer conforms`() throws {
    try RequestSerializerConformance(
      .csv, type: .csv, samples: [[["name": "Curlew", "legs": 2]], ["name": "é"]],
      unrepresentable: [[["a": ["b": 1]]], "text"]
    ).run()
  }

  @Test func `the type's parameters decide about header and charset`() throws {
    let body = Data("name,legs\nCurlew,2\n".utf8)
    #expect(try CSVTableResponseSerializer().output(of: head("text/csv;header=absent"), body).rows.count == 2)
    var headless = CSVTableResponseSerializer()
    headless.options.hasHeader = false
    #expect(try headless.output(of: head(), body).rows.count == 2)
    #expect(try headless.output(of: head("text/csv; header=present"), body).columns == ["name", "legs"])
    let latin = try CSVTableResponseSerializer().output(of: head("text/csv;charset=iso-8859-1"), Data([0xE9]))
    #expect(latin.columns == ["é"])
  }

  @Test func `values are sent with what says whether there is a header`() throws {
    let request = try CSVRequestSerializer.csv.request(
      Request(.post, "http://h/"), encoding: [Bird(name: "Curlew", legs: 2)])
    guard case .bytes(let bytes) = request.body.source else { return #expect(Bool(false)) }
    #expect(String(decoding: bytes, as: UTF8.self) == "name,legs\r\nCurlew,2\r\n")
    #expect(request.headerFields[.contentType] == "text/csv;header=present")
  }

  @Test func `a session's formats know CSV by its type`() throws {
    let formats = FormatRegistry([.csv])
    #expect(formats["csv"] is CSVCoding)
    let serializer = CodingResponseSerializer([[String: String]].self, by: formats)
    #expect(try serializer.output(of: head("text/csv; charset=utf-8"), Data("a\n1\n".utf8)) == [["a": "1"]])
    #expect(throws: NetworkError.self) { try serializer.output(of: head("text/plain"), Data("a\n1\n".utf8)) }
  }
}
