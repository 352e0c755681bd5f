import CurlewCore
import HTTPTypes
import Testing

@Suite struct FieldNameTests {
  @Test func `a field is set by a name that is a text, whatever the case of an earlier one`() throws {
    var fields: HTTPFields = [.acceptLanguage: "de"]
    try fields.set("X-API-Key", to: "one")
    try fields.set("x-api-key", to: "two")
    let name = try #require(HTTPField.Name("X-API-Key"))
    #expect(fields[name] == "two" && fields.count == 2)
    #expect(try HTTPFields(named: ["X-API-Key": "two", "Accept-Language": "de"])[name] == "two")
  }

  @Test(arguments: ["", "X Key", "X-Key:", "X-Kéy", "X-Key\r\nEvil"])
  func `a text that is no name of a field is an error that names it`(name: String) {
    let error = #expect(throws: NetworkError.self) { try HTTPFields(named: [name: "v"]) }
    #expect(error?.kind == .invalidRequest && error?.message.hasPrefix("'\(name)' is not the name") == true)
  }

  @Test(arguments: ["secret\n", "secret\r\nX-Evil: 1", " secret", "sec\0ret"])
  func `a value that cannot be sent is an error that does not quote it`(value: String) {
    var fields = HTTPFields()
    let error = #expect(throws: NetworkError.self) { try fields.set("X-API-Key", to: value) }
    #expect(error?.kind == .invalidRequest && error?.message.contains("secret") == false && fields.isEmpty)
  }
}
