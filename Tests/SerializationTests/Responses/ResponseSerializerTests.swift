import CurlewCore
import CurlewSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct ResponseSerializerTests {
  private func head(_ code: Int, _ type: String?) throws -> ResponseHead {
    var fields = HTTPFields()
    fields[.contentType] = type
    return ResponseHead(
      url: try #require(URL(string: "http://h.test/")), status: HTTPResponse.Status(code: code), headerFields: fields)
  }

  private let json = ResponseValidation(mediaTypes: [.json])

  @Test func `a bad status stands outermost, with a bad type as its cause`() throws {
    let error = try #require(json.check(head(404, "text/html"), Data("x".utf8)))
    #expect(error.kind == .unacceptableStatus)
    #expect((error.details.underlying as? NetworkError)?.kind == .unacceptableContentType)
    #expect(error.details.response?.status.code == 404 && error.details.responseBody == Data("x".utf8))
  }

  @Test(arguments: [
    (200, "application/json", "{}", NetworkError.Kind?.none), (200, "application/problem+json", "{}", nil),
    (200, "text/html", "x", .unacceptableContentType), (200, "text/html", "", .unacceptableContentType),
    (404, "application/json", "{}", .unacceptableStatus), (204, nil, "", nil),
    (200, nil, "x", .unacceptableContentType),
  ])
  func `status and type decide`(code: Int, type: String?, body: String, kind: NetworkError.Kind?) throws {
    #expect(json.check(try head(code, type), Data(body.utf8))?.kind == kind)
  }

  @Test func `a body past the limit is refused before it is looked at`() throws {
    let tight = ResponseValidation(maximumBytes: 3)
    #expect(tight.check(try head(200, nil), Data("four".utf8))?.kind == .bodyTooLarge)
    #expect(tight.check(try head(200, nil), Data("thr".utf8)) == nil)
  }

  @Test func `the first member that takes a response decides`() throws {
    let text = StringResponseSerializer(validation: ResponseValidation(mediaTypes: [.plainText]))
    let length = DataResponseSerializer(validation: ResponseValidation(mediaTypes: [.json])).map { "\($0.count)" }
    let either = CompoundResponseSerializer<String>([text, length])
    #expect(try either.output(of: head(200, "application/json"), Data("abc".utf8)) == "3")
    #expect(try either.output(of: head(200, "text/plain"), Data("abc".utf8)) == "abc")
    let error = #expect(throws: NetworkError.self) { try either.output(of: head(200, "image/png"), Data("abc".utf8)) }
    #expect(error?.kind == .unacceptableContentType)
  }

  @Test(arguments: [
    ("utf-8", [0xC3, 0xA9] as [UInt8], "é"), ("utf-8", [0xEF, 0xBB, 0xBF, 0x61], "a"), ("iso-8859-1", [0xE9], "é"),
    ("windows-1252", [0x80], "€"), ("utf-16", [0x00, 0x61], "a"), ("utf-16", [0xFF, 0xFE, 0x61, 0x00], "a"),
    ("shift_jis", [0x83, 0x65], "テ"), ("utf-32le", [0x61, 0, 0, 0], "a"), ("us-ascii", [0x61], "a"),
  ])
  func `bytes are read in their charset`(label: String, bytes: [UInt8], text: String) throws {
    let charset = try #require(Charset(label: label))
    #expect(try CharsetDecoder.string(Data(bytes), as: charset) == text)
  }

  @Test(arguments: [
    ("utf-8", [0xC3] as [UInt8], CharsetError.Kind.malformed), ("us-ascii", [0x80], .malformed),
    ("no-such-charset", [0x61], .unknown), ("utf-8//ignore", [0x61], .unknown), ("utf-16be", [0xD8, 0x00], .malformed),
  ])
  func `what is not in its charset is an error`(label: String, bytes: [UInt8], kind: CharsetError.Kind) throws {
    let charset = try #require(Charset(label: label))
    let error = #expect(throws: CharsetError.self) { try CharsetDecoder.string(Data(bytes), as: charset) }
    #expect(error?.kind == kind)
  }

  @Test func `a long text in another charset is read whole`() throws {
    let bytes = Data((0..<100_000).flatMap { _ in [UInt8(0xE9), 0x61] })
    let text = try CharsetDecoder.string(bytes, as: .windows1252)
    #expect(text.unicodeScalars.count == 200_000 && text.hasPrefix("éaéa"))
  }
}
