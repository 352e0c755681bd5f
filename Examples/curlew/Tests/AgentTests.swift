import CurlewCore
import CurlewJSON
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewTool

@Suite struct AgentTests {
  @Test func `a line becomes a request`() throws {
    let line = """
      {"id":[1],"url":"http://h/","method":"PUT","headers":[["A","1"],["A","2"]],"body":"aGk=","cache":"reload"}
      """
    let asked = try AgentRequest(Data(line.utf8))
    #expect(asked.id[0]?.intValue == 1)
    #expect(asked.request.method == .put)
    #expect(asked.request.headerFields.map(\.value) == ["1", "2"])
    #expect(asked.request.body.length == 2)
    #expect(asked.request.options.cachePolicy == .reload)
  }

  @Test func `absent and null members are defaults`() throws {
    let asked = try AgentRequest(Data(#"{"id":1,"url":"http://h/","body":null,"method":null}"#.utf8))
    #expect(asked.request.method == .get)
    #expect(asked.request.body.isEmpty)
    #expect(asked.redirect == nil)
  }

  @Test(arguments: [
    #"{"id":7}"#, #"{"id":7,"url":1}"#, #"{"id":7,"url":"http://h/","headers":[["A"]]}"#,
    #"{"id":7,"url":"http://h/","headers":[["A","x\ny"]]}"#, #"{"id":7,"url":"http://h/","body":"*"}"#,
    #"{"id":7,"url":"http://h/","redirect":"maybe"}"#, #"{"id":7,"url":"http://h/","cache":"x"}"#,
    #"{"id":7,"url":"http://h/","method":"A B"}"#, #"{"id":7,"url":"http://h/","headers":[["A","1","2"]]}"#,
  ])
  func `a request that cannot be is refused under its own id`(line: String) {
    let failure = #expect(throws: AgentFailure.self) { try AgentRequest(Data(line.utf8)) }
    #expect(failure?.id.intValue == 7)
    #expect(failure?.failure.kind == "invalid-request")
  }

  @Test func `a line that is not JSON is refused with a null id`() {
    let failure = #expect(throws: AgentFailure.self) { try AgentRequest(Data("{".utf8)) }
    #expect(failure?.id.isNull == true)
  }

  @Test func `to follow is to follow as many as the command line allows`() throws {
    var asked = try AgentRequest(Data(#"{"id":1,"url":"http://h/","redirect":"follow"}"#.utf8))
    asked.request.options.redirectLimit = 0
    asked.redirect?.apply(to: &asked.request, limit: 5)
    #expect(asked.request.options.redirectLimit == 5)
  }

  @Test func `a line that is too long is told of and passed over`() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let text = "a\n" + String(repeating: "x", count: 200_000) + "\nb\n" + String(repeating: "y", count: 100_000)
    let writing = ends[1]
    let writer = Task.detached {
      var rest = Substring(text)
      while !rest.isEmpty {
        _ = String(rest.prefix(4096)).withCString { write(writing, $0, strlen($0)) }
        rest = rest.dropFirst(4096)
      }
      close(writing)
    }
    var lines = InputLines(BlockingInput(ends[0]), limit: 50_000)
    var seen: [String] = []
    while true {
      do {
        guard let line = try await lines.next() else { break }
        seen.append(String(decoding: line, as: UTF8.self))
      } catch is InputLines.LineTooLong {
        seen.append("too long")
      }
    }
    await writer.value
    #expect(seen == ["a", "too long", "b", "too long"])
  }

  @Test func `lines are cut whatever the portions they come in`() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let writing = ends[1]
    let writer = Task.detached {
      for portion in ["ab", "c\n\nd", "\ne"] { _ = portion.withCString { write(writing, $0, strlen($0)) } }
      close(writing)
    }
    var lines = InputLines(BlockingInput(ends[0]))
    var seen: [String] = []
    while let line = try await lines.next() { seen.append(String(decoding: line, as: UTF8.self)) }
    await writer.value
    #expect(seen == ["abc", "", "d", "e"])
  }
}
