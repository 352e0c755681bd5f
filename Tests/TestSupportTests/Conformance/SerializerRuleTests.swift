import CurlewCore
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct SerializerRuleTests {
  /// Accepts every type, and every byte.
  private struct Careless: ResponseSerializer {
    var validation = ResponseValidation(mediaTypes: [.any])
    func serialize(_ head: ResponseHead?, _ body: Data) throws -> UInt8 { body.first ?? 0 }
  }

  /// Replaces whatever body there is.
  private struct Replacing: RequestSerializer {
    func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
      guard parameters != nil else { return request }
      var request = request
      request.body = .text("all")
      request.headerFields[.contentType] = "text/plain"
      return request
    }
  }

  private func careless(excluding exclusions: [SerializerRule.ID: String] = [:]) -> SerializerConformance<Careless> {
    SerializerConformance(
      Careless(), type: .octetStream, samples: [Data([1])], malformed: [Data([2])], excluding: exclusions)
  }

  @Test func `every rule of serializers has a name, a sentence, a source and a reason`() {
    for rules in [SerializerConformance<Careless>.rules, RequestSerializerConformance<Replacing>.rules] {
      #expect(Set(rules.map(\.id)).count == rules.count && rules.count >= 14)
      for rule in rules {
        #expect(rule.sentence.contains(" ") && !rule.source.isEmpty && rule.reason.hasSuffix("."), "\(rule)")
      }
    }
  }

  @Test func `a failure says what was expected and why`() {
    let failure = #expect(throws: ConformanceFailure.self) { try careless().run() }
    #expect(failure?.rule == "refuses-malformed")
    #expect(failure?.expected == "a malformed body ends in serializationFailed (ResponseSerializer)")
    #expect(failure?.description.contains("because: A guess at what was meant") == true)
  }

  @Test func `a rule is excluded with a reason, and the others are still checked`() throws {
    let failure = #expect(throws: ConformanceFailure.self) {
      try careless(excluding: ["refuses-malformed": "every byte is valid"]).run()
    }
    #expect(failure?.rule == "errors-keep-their-cause")
    func replacing(excluding exclusions: [SerializerRule.ID: String]) -> SerializerRule.ID? {
      let conformance = RequestSerializerConformance(
        Replacing(), type: .plainText, samples: [["a": 1]], excluding: exclusions)
      return #expect(throws: ConformanceFailure.self) { try conformance.run() }?.rule
    }
    #expect(replacing(excluding: [:]) == "one-place")
    #expect(replacing(excluding: ["one-place": "x", "names-its-type": "x"]) == "never-replaces-a-body")
  }

  @Test func `an exclusion of a rule that does not exist is an error`() {
    let failure = #expect(throws: ConformanceFailure.self) {
      try careless(excluding: ["refuses-maformed": "typo"]).run()
    }
    #expect(failure?.rule == "refuses-maformed" && failure?.sentence.contains("refuses-malformed") == true)
    let request = RequestSerializerConformance(
      Replacing(), type: .plainText, samples: [], excluding: ["nothing-of-ours": "typo"])
    #expect(#expect(throws: ConformanceFailure.self) { try request.run() }?.rule == "nothing-of-ours")
  }
}
