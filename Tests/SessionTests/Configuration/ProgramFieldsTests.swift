import CurlewSession
import HTTPTypes
import Testing

@Suite struct ProgramFieldsTests {
  @Test func `the user agent names program, version, Curlew and system`() throws {
    let text = try #require(HTTPFields.program("birds", version: "1.2")[.userAgent])
    #expect(text.hasPrefix("birds/1.2 (Curlew/"))
    #expect(text.contains("; Linux "))
    #expect(text.hasSuffix(")"))
    let plain = try #require(HTTPFields.program()[.userAgent])
    #expect(!plain.hasPrefix("("))
    #expect(HTTPFields.program("Möwe\r\nX: 1")[.userAgent]?.contains("MweX1 (") == true)
  }

  @Test func `languages are sent in order of preference, or left out`() {
    #expect(HTTPFields.program(languages: ["de-DE", "en"])[.acceptLanguage] == "de-DE;q=1, en;q=0.9")
    #expect(HTTPFields.program(languages: [])[.acceptLanguage] == nil)
    #expect(HTTPFields.program()[.acceptLanguage] == nil, "the locale of a test program is C")
  }
}
