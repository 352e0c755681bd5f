import CurlewCore
import CurlewSerialization
import FoundationEssentials
import HTTPTypes
import Testing

/// Behaviours of AFNetworking's serializers that no other suite shows.
@Suite struct PredecessorResponseTests {
  @Test func `every 2xx is a success, and every 4xx and 5xx an error`() throws {
    for status in 200..<600 {
      let refusal = ResponseValidation().check(try makeHead(status), Data("x".utf8))
      switch status {
      case 200..<300: #expect(refusal == nil, "\(status)")
      default: #expect(refusal?.kind == .unacceptableStatus, "\(status)")
      }
    }
  }

  @Test func `a 205 needs a type only if it has a body`() throws {
    let validation = ResponseValidation(mediaTypes: [.json])
    #expect(validation.check(try makeHead(205), Data()) == nil)
    #expect(validation.check(try makeHead(205), Data("x".utf8))?.kind == .unacceptableContentType)
  }

  @Test func `a 204 without a body is no property list, and no error`() throws {
    #expect(try PropertyListResponseSerializer().output(of: makeHead(204), Data()) == nil)
    let error = #expect(throws: NetworkError.self) {
      try PropertyListResponseSerializer().output(of: makeHead(200, type: "application/x-plist"), Data("x".utf8))
    }
    #expect(error?.kind == .serializationFailed)
  }

  @Test func `an error of the app's own query function is the cause of a typed error`() throws {
    var serializer = FormRequestSerializer()
    serializer.defaults.query.custom = { _ in throw POSIXFailure() }
    for method in [HTTPRequest.Method.get, .post] {
      let error = #expect(throws: NetworkError.self) {
        try serializer.request(Request(method, "http://h/"), ["a": 1])
      }
      #expect(error?.kind == .serializationFailed && error?.details.underlying is POSIXFailure)
    }
  }

  private struct POSIXFailure: Error {}
}
