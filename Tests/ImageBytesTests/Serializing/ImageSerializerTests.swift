import CurlewCore
import CurlewImageBytes
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct ImageSerializerTests {
  /// One transparent pixel.
  private static let gif =
    Data(
      base64Encoded: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7") ?? Data()

  @Test func `the serializer conforms`() throws {
    try SerializerConformance(.image, type: .gif, samples: [Self.gif], malformed: [Data(), Data("x".utf8)]).run()
  }

  @Test func `a picture comes with what its header says, whatever its type says`() throws {
    let url = try #require(URL(string: "http://h/"))
    let head = ResponseHead(url: url, status: .ok, headerFields: [.contentType: "application/octet-stream"])
    let image = try ImageResponseSerializer().output(of: head, Self.gif)
    #expect(image.info.format == .gif && image.info.width == 1)
    #expect(image.bytes == Self.gif)
  }
}
