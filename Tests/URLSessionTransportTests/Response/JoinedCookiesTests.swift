import Testing

@testable import CurlewURLSessionTransport

@Suite struct JoinedCookiesTests {
  @Test(arguments: [
    (["a=1"]), (["a=1", "b=2"]), (["a=1; Expires=Wed, 21 Oct 2045 07:28:00 GMT; Path=/", "b=2; Max-Age=1"]),
    (["a=1; expires=Wednesday, 21-Oct-45 07:28:00 GMT", "__Host-b=\"x\"; Secure"]), (["a=", "b=;c"]),
    (["a=1,2", "b=3"]),
  ])
  func `lines that were joined are told apart`(lines: [String]) {
    #expect(JoinedCookies.split(lines.joined(separator: ", ")) == lines)
  }

  @Test func `what is no list of cookies stays one`() {
    for text in ["", ",", ", ", "a, b", ", =b", "no equals, at all"] { #expect(JoinedCookies.split(text) == [text]) }
  }

  @Test func `a value that looks like another cookie is taken for one, as is documented`() {
    #expect(JoinedCookies.split("a=b, c=d") == ["a=b", "c=d"])
  }
}
