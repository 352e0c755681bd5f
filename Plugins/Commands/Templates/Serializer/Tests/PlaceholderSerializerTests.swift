import CurlewCore
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import PlaceholderSerializer
import Testing

@Suite struct PlaceholderSerializerTests {
  /// Valid documents, then malformed ones.
  private static let texts: [[String]] = [[], []]  // Still to do: texts

  /// Parameters that the format represents, then some that it does not.
  private static let parameters: [[Parameters]] = [[], []]  // Still to do: parameters

  private func mediaType() throws -> MediaType { try #require(MediaType(type: "MEDIA_TYPE", subtype: "MEDIA_SUBTYPE")) }

  @Test func `the response serializer conforms`() throws {
    let bodies = Self.texts.map { $0.map { Data($0.utf8) } }
    try #require(!bodies[0].isEmpty, "Still to do: texts")
    try SerializerConformance(.placeholder, type: mediaType(), samples: bodies[0], malformed: bodies[1]).run()
  }

  @Test func `the format of a session conforms, and reads what it has written`() throws {
    let bodies = Self.texts.map { $0.map { Data($0.utf8) } }
    try #require(!bodies[0].isEmpty, "Still to do: texts")
    let formats = FormatRegistry([.placeholder])
    let coding = CodingResponseSerializer(PlaceholderValue.self, by: formats)
    try SerializerConformance(coding, type: mediaType(), samples: bodies[0], malformed: bodies[1]).run()
    let value = try coding.output(of: nil, bodies[0][0])
    #expect(try formats.first.map { try coding.output(of: nil, $0.encode(value)) } == value)
  }

  @Test func `the request serializer conforms`() throws {
    let parameters = Self.parameters
    try #require(!parameters[0].isEmpty, "Still to do: parameters")
    try RequestSerializerConformance(
      .placeholder, type: mediaType(), samples: parameters[0], unrepresentable: parameters[1]
    ).run()
  }

  @Test func `reading and writing are written`() {
    do {
      _ = try PlaceholderResponseSerializer().output(of: nil, Data("?".utf8))
    } catch {
      #expect(!error.message.contains("Still to do"), "Still to do: read")
    }
    do {
      _ = try PlaceholderRequestSerializer().request(Request(.post, "http://h/"), [:])
    } catch {
      #expect(!error.message.contains("Still to do"), "Still to do: write")
    }
  }
}
