import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewOperations
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPRequestOperationManagerTests {
  /// Answers with what was asked, as JSON.
  private func echo(_ seen: Collected<StubTransport.Asked>) -> StubTransport {
    StubTransport { asked in
      seen.append(asked)
      return StubAnswer(
        headerFields: [.contentType: "application/json"], body: [.bytes(Data(#"{"seen":true}"#.utf8))])
    }
  }

  private func manager(_ transport: StubTransport) throws -> HTTPRequestOperationManager {
    let manager = HTTPRequestOperationManager(baseURL: try BaseURL("http://stub.test/v1"), over: Loader(transport))
    manager.completionQueue = DispatchQueue(label: "manager")
    return manager
  }

  @Test func `each verb puts its parameters where they belong`() async throws {
    let seen = Collected<StubTransport.Asked>()
    let manager = try manager(echo(seen))
    manager.operationQueue.maxConcurrentOperationCount = 1
    let values = Collected<JSONValue>()
    let success: HTTPRequestOperationManager.Success = { _, value in
      if let value = value as? JSONValue { values.append(value) }
    }
    manager.get("birds", ["kind": "curlew"], success: success)
    manager.post("birds", ["kind": "curlew"], success: success)
    manager.put("birds/7", ["kind": "curlew"], success: success)
    manager.patch("/birds", ["kind": "curlew"], success: success)
    manager.delete("birds", ["kind": "curlew"], success: success)
    manager.post(
      "photos", ["kind": "curlew"], multipart: { try $0.append(Data("x".utf8), name: "f", fileName: "f.txt") },
      success: success)
    await Fixture.wait(while: values.all.count < 6)
    let heads = Collected<Bool>()
    manager.head("birds", success: { _, value in heads.append((value as? Data)?.isEmpty == true) })
    await Fixture.wait(while: heads.all.isEmpty)
    #expect(heads.all == [true])
    #expect(
      seen.all.map { "\($0.request.method) \($0.request.url.absoluteString)" } == [
        "GET http://stub.test/v1/birds?kind=curlew", "POST http://stub.test/v1/birds",
        "PUT http://stub.test/v1/birds/7",
        "PATCH http://stub.test/birds", "DELETE http://stub.test/v1/birds?kind=curlew",
        "POST http://stub.test/v1/photos",
        "HEAD http://stub.test/v1/birds",
      ])
    #expect(seen.all[1...3].allSatisfy { $0.body == Data("kind=curlew".utf8) })
    #expect(seen.all[5].request.headerFields[.contentType]?.hasPrefix("multipart/form-data") == true)
  }

  @Test func `a request that cannot be made is one failure and no operation`() async throws {
    let manager = try manager(StubTransport(.text("")))
    let failures = Collected<Bool>()
    let operation = manager.get(
      "http://", success: { _, _ in Issue.record("no success") },
      failure: { operation, error in
        failures.append(operation == nil && (error as? NetworkError)?.kind == .invalidURL)
      })
    #expect(operation == nil)
    let other = manager.post(
      "form", multipart: { _ in throw NetworkError(.fileError, stage: .preparing, message: "No file.") },
      failure: { operation, _ in failures.append(operation == nil) })
    #expect(other == nil)
    await Fixture.wait(while: failures.all.count < 2)
    #expect(failures.all == [true, true])
    #expect(manager.operationQueue.operationCount == 0)
  }

  @Test func `operations are cancelled by method and path`() async throws {
    let gate = ManualGate()
    let manager = try manager(Fixture.gated(gate))
    let kept = [manager.get("birds/8"), manager.post("birds"), manager.get("trees")]
    let gone = [manager.get("birds"), manager.get("birds", ["page": "2"])]
    let cancelled = try manager.cancelOperations(method: .get, path: "birds")
    #expect(cancelled.count == 2)
    #expect(gone.allSatisfy { $0?.isCancelled == true } && kept.allSatisfy { $0?.isCancelled == false })
    #expect(try manager.cancelOperations(path: "/v1/birds").count == 1)
    #expect(try manager.cancelOperations().count == 2)
    #expect(throws: NetworkError.self) { try manager.cancelOperations(path: "http://") }
    await Fixture.wait(while: manager.operationQueue.operationCount > 0)
  }

  @Test func `settings reach the operations that are made afterwards`() async throws {
    let seen = Collected<StubTransport.Asked>()
    let stub = StubTransport { asked in
      seen.append(asked)
      guard asked.request.headerFields[.authorization] != nil else {
        return StubAnswer(.unauthorized, headerFields: [.wwwAuthenticate: #"Basic realm="birds""#])
      }
      return .text("hello")
    }
    let loader = Loader(stub, chain: InterceptorChain(authentication: Authentication()))
    let manager = HTTPRequestOperationManager(baseURL: try BaseURL("http://stub.test/"), over: loader)
    let group = DispatchGroup()
    manager.credential = .password(user: "u", password: "p")
    manager.responseSerializer = .data
    manager.completionGroup = group
    manager.completionQueue = DispatchQueue(label: "manager")
    manager.headerFields[.userAgent] = "birds/1"
    let operation = try #require(manager.get("x"))
    #expect(try await operation.value(as: Data.self) == Data("hello".utf8))
    #expect(operation.completionGroup == nil && operation.completionQueue === manager.completionQueue)
    #expect(seen.all.count == 2 && seen.all[0].request.headerFields[.userAgent] == "birds/1")
    let copy = manager.copied()
    #expect(copy.baseURL == manager.baseURL && copy.headerFields == manager.headerFields)
    #expect(copy.operationQueue !== manager.operationQueue && copy.responseSerializer is DataResponseSerializer)
    #expect(copy.completionQueue == nil && copy.completionGroup == nil)
    #expect(!manager.description.contains("password") && manager.description.contains("http://stub.test/"))
  }

  @Test func `a copy of a manager trusts, answers and asks as the manager does`() {
    let monitor = ManualReachability()
    let manager = HTTPRequestOperationManager(over: Loader(StubTransport(.text("hello"))))
    manager.securityPolicy = RecordingTrustEvaluator()
    manager.credential = .password(user: "u", password: "p")
    manager.shouldUseCredentialStorage = false
    manager.reachability = monitor
    let copy = manager.copied()
    #expect(copy.securityPolicy is RecordingTrustEvaluator && copy.credential != nil)
    #expect(!copy.shouldUseCredentialStorage && copy.reachability as? ManualReachability === monitor)
  }

  @Test func `a manager's credential goes where the secrets of its fields go`() throws {
    let loader = Loader(StubTransport(.text("hello")))
    func hasCredential(_ url: String, _ manager: HTTPRequestOperationManager) throws -> Bool {
      manager.credential = .password(user: "u", password: "p")
      return manager.operation(for: try Request(.get, url), success: nil, failure: nil).credential != nil
    }
    let based = HTTPRequestOperationManager(baseURL: try BaseURL("https://stub.test/v1/"), over: loader)
    #expect(try hasCredential("https://stub.test/x", based))
    for url in ["https://other.test/v1/x", "http://stub.test/v1/x", "https://stub.test:8443/"] {
      #expect(try !hasCredential(url, based), "\(url)")
    }
    based.secretOrigins = [try Origin(scheme: .https, host: "other.test")]
    #expect(try hasCredential("https://other.test/v1/x", based))
    #expect(try hasCredential("https://other.test/v1/x", based.copied()))
    #expect(try hasCredential("https://any.test/", HTTPRequestOperationManager(over: loader)))
  }

  @Test func `a subclass makes every operation`() async throws {
    final class Own: HTTPRequestOperationManager, @unchecked Sendable {  // Safe because it adds no state.
      override func operation(for request: Request, success: Success?, failure: Failure?) -> HTTPRequestOperation {
        var request = request
        request.headerFields[.accept] = "text/own"
        return super.operation(for: request, success: success, failure: failure)
      }
    }
    let manager = Own(over: Loader(StubTransport(.text("hello"))))
    #expect(manager.get("http://stub.test/")?.request.headerFields[.accept] == "text/own")
    #expect(type(of: manager.copied()) == Own.self)
    await Fixture.wait(while: manager.operationQueue.operationCount > 0)
  }
}
