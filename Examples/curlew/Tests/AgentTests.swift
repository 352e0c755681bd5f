import CurlewCore
import CurlewJSON
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization
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

  @Test(arguments: [
    (#"["Foo ","1"]"#, "The header name 'Foo ' holds a space (U+0020)"),
    (#"["F\u0000o","1"]"#, "The header name 'F?o' holds the control character U+0000"),
    (#"["Foé","1"]"#, "The header name 'Foé' holds 'é' (U+00E9)"),
    (#"["","1"]"#, "The name of a header field is empty."),
    (#"["Foo","a\nb"]"#, "The value of the header 'Foo' holds a line feed (U+000A)"),
    (#"["Foo"," a"]"#, "The value of the header 'Foo' begins or ends with white space"),
  ])
  func `a refused header says which character is wrong`(header: String, message: String) {
    let line = #"{"id":7,"url":"http://h/","headers":[\#(header)]}"#
    let failure = #expect(throws: AgentFailure.self) { try AgentRequest(Data(line.utf8)) }
    #expect(failure?.failure.message.hasPrefix(message) == true, "\(failure?.failure.message ?? "")")
  }

  @Test func `answers that are longer than a pipe takes at once stay whole, however many come at a time`() async throws
  {
    let body = String(repeating: "x", count: 200_000)
    let gate = OriginGate()
    let arrivals = Mutex(0)
    let origin = try await ScriptedOrigin.start { _ in
      let count = arrivals.withLock { count in
        count += 1
        return count
      }
      if count == 8 { gate.open() }
      return .ok(body).pausing(at: gate)
    }
    let lines = (1...8).map { #"{"id":\#($0),"url":"\#(origin.address("/\($0)"))"}"# }
    let run = try await ToolRun(
      ["agent", "--parallel", "8"], input: Data((lines.joined(separator: "\n") + "\n").utf8),
      script: #""$0" "$@" | { sleep 0.3; cat; }"#)
    let answers = run.output.split(separator: "\n").compactMap { try? JSONValue(parsing: Data($0.utf8)) }
    #expect(Set(answers.compactMap { $0["id"]?.intValue }) == Set(1...8))
    #expect(answers.allSatisfy { $0["body"]?.stringValue == Data(body.utf8).base64EncodedString() })
    await origin.stop()
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
    var lines = InputLines(BlockingInput(StreamDescriptor(borrowing: ends[0], for: .reading)), limit: 50_000)
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
    var lines = InputLines(BlockingInput(StreamDescriptor(borrowing: ends[0], for: .reading)))
    var seen: [String] = []
    while let line = try await lines.next() { seen.append(String(decoding: line, as: UTF8.self)) }
    await writer.value
    #expect(seen == ["abc", "", "d", "e"])
  }
}
