import Curlew
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Testing

/// Bodies in JSON that are written as literals.
@Suite struct JSONContentTests {
  @Test func `values of several types and variables are the members of a JSON object`() async throws {
    let origin = try await ScriptedOrigin.start { .ok(String(decoding: await $0.body(), as: UTF8.self)) }
    let session = try HTTPSession(baseURL: origin.address("/"))
    let (name, place): (String, String?) = ("Heron", nil)
    let seen = Date(timeIntervalSince1970: 0)
    let text = try await session.post(
      "birds",
      .json([
        "name": name, "age": 3, "placeOfBirth": place, "isRare": false, "tags": ["a", "b"], "seen": seen, "none": nil,
      ]),
      .string)
    #expect(
      text
        == #"{"name":"Heron","age":3,"placeOfBirth":null,"isRare":false,"tags":["a","b"],"seen":"1970-01-01T00:00:00Z","none":null}"#
    )
    var coding = JSONCoding()
    coding.encoder.keyEncodingStrategy = .convertToSnakeCase
    struct Bird: Encodable, Sendable { var firstName = "Heron" }
    let other = try await session.with { $0.coding = coding }
      .post("birds", .json(["isRare": true, "bird": Bird()]), .string)
    #expect(other == #"{"isRare":true,"bird":{"first_name":"Heron"}}"#)
    await #expect(throws: NetworkError.self) { try await session.post("birds", .json(["a": 1, "b": Double.nan])) }
    #expect(origin.requests.count == 2)
    await origin.stop()
  }
}
