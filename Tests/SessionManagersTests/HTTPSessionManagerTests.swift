import CurlewCore
import CurlewDownload
import CurlewJSON
import CurlewLoading
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

@Suite(.timeLimit(.minutes(10))) struct HTTPSessionManagerTests {
  private func manager(
    _ seen: Collected<StubTransport.Asked>, base: String? = "http://stub.test/v1"
  ) throws -> HTTPSessionManager {
    try Fixture.manager(
      StubTransport { asked in
        seen.append(asked)
        return Fixture.json()
      }, as: HTTPSessionManager.self, base: base)
  }

  @Test
  func `parameters of a POST are a form whatever the format of the session's values is, unless the app says otherwise`()
    async throws
  {
    let recording = RecordingTransport(StubTransport(Fixture.json()))
    var configuration = SessionConfiguration(.shared(recording))
    configuration.coding = .json
    var serializer = JSONRequestSerializer()
    serializer.defaults.headerFields[.accept] = "application/vnd.birds+json"
    configuration.requestSerializer = serializer
    let manager = HTTPSessionManager(baseURL: try BaseURL("http://stub.test/"), configuration)
    manager.completionQueue = DispatchQueue(label: "form")
    _ = try await manager.dataTask(.post, "birds", ["kind": "curlew"]).value
    manager.requestSerializer = .json
    _ = try await manager.dataTask(.post, "birds", ["kind": "curlew"]).value
    #expect(
      recording.requests.map { $0.headerFields[.contentType] } == [
        "application/x-www-form-urlencoded", "application/json",
      ])
    #expect(recording.requests.first?.headerFields[.accept] == "application/vnd.birds+json")
  }

  @Test func `each verb puts its parameters where they belong`() async throws {
    let seen = Collected<StubTransport.Asked>()
    let manager = try manager(seen)
    let values = Collected<any Sendable>()
    let success: HTTPSessionManager.Success = { _, value in values.append(value) }
    func next(_ send: () -> SessionTask?) async {
      let count = values.all.count
      #expect(send()?.state != .suspended)
      await Fixture.wait(while: values.all.count == count)
    }
    await next { manager.get("birds", ["kind": "curlew"], success: success) }
    await next { manager.post("birds", ["kind": "curlew"], success: success) }
    await next { manager.put("birds/7", ["kind": "curlew"], success: success) }
    await next { manager.patch("/birds", ["kind": "curlew"], success: success) }
    await next { manager.delete("birds", ["kind": "curlew"], success: success) }
    await next { manager.head("birds", success: success) }
    #expect(
      seen.all.map { "\($0.request.method) \($0.request.url.absoluteString)" } == [
        "GET http://stub.test/v1/birds?kind=curlew", "POST http://stub.test/v1/birds",
        "PUT http://stub.test/v1/birds/7", "PATCH http://stub.test/birds",
        "DELETE http://stub.test/v1/birds?kind=curlew", "HEAD http://stub.test/v1/birds",
      ])
    #expect(seen.all[1...3].allSatisfy { $0.body == Data("kind=curlew".utf8) })
    #expect(values.all.prefix(5).allSatisfy { $0 is JSONValue } && (values.all.last as? Data)?.isEmpty == true)
  }

  @Test func `no field of a call loses the boundary of a form`() async throws {
    let seen = Collected<StubTransport.Asked>()
    let manager = try manager(seen)
    let (ends, progress) = (Collected<Bool>(), Collected<TransferProgress>())
    let task = manager.post(
      "photos", ["kind": "curlew"], headerFields: [.contentType: "multipart/form-data"],
      multipart: { try $0.append(Data(repeating: 120, count: 40_000), name: "f", fileName: "f.txt") },
      progress: { progress.append($0) }, success: { _, _ in ends.append(true) }, failure: { _, _ in ends.append(false) }
    )
    #expect(task?.kind == .upload)
    await Fixture.wait(while: ends.all.isEmpty)
    let asked = try #require(seen.all.first)
    let type = try #require(asked.request.headerFields[.contentType].flatMap { MediaType($0) })
    let boundary = try #require(type["boundary"])
    #expect(ends.all == [true] && type.essence == "multipart/form-data")
    #expect(asked.request.headerFields[fields: .contentType].count == 1)
    #expect(asked.body.starts(with: Data("--\(boundary)\r\n".utf8)))
    #expect(progress.all.filter(\.isFinal).map(\.completed) == [Int64(asked.body.count)])
  }

  @Test(arguments: Carrier.allCases)
  func `the progress of a POST is that of its body`(_ carrier: Carrier) async throws {
    let origin = try await ScriptedOrigin.start { request in
      _ = await request.body()
      return .json("{}")
    }
    let manager = Fixture.manager(carrier.configuration, as: HTTPSessionManager.self)
    let (ends, progress) = (Collected<Bool>(), Collected<TransferProgress>())
    manager.post(
      origin.address("/"), ["text": .string(String(repeating: "x", count: 60_000))], progress: { progress.append($0) },
      success: { _, _ in ends.append(true) }, failure: { _, _ in ends.append(false) })
    await Fixture.wait(while: ends.all.isEmpty)
    #expect(ends.all == [true] && progress.all.filter(\.isFinal).map(\.completed) == [60_005])
    await origin.stop()
  }

  @Test(arguments: Carrier.allCases)
  func `a 204 is a success whose value casts to nothing`(_ carrier: Carrier) async throws {
    let origin = try await ScriptedOrigin.start { _ in .status(204, [:]) }
    let manager = Fixture.manager(carrier.configuration, as: HTTPSessionManager.self)
    let ends = Collected<String>()
    manager.get(
      origin.address("/"), success: { _, value in ends.append(value as? JSONValue == nil ? "nothing" : "something") },
      failure: { _, _ in ends.append("failure") })
    await Fixture.wait(while: ends.all.isEmpty)
    #expect(ends.all == ["nothing"])
    await origin.stop()
  }

  @Test func `fields of a call replace those of the serializer and of the manager`() async throws {
    let seen = Collected<StubTransport.Asked>()
    let manager = try manager(seen)
    manager.headerFields = [.userAgent: "birds/1", .acceptLanguage: "de"]
    let ends = Collected<Int>()
    manager.get("x", headerFields: [.acceptLanguage: "fr"], success: { _, _ in ends.append(1) })
    await Fixture.wait(while: ends.all.isEmpty)
    let fields = try #require(seen.all.first?.request.headerFields)
    #expect(fields[.userAgent] == "birds/1" && fields[fields: .acceptLanguage].map(\.value) == ["fr"])
  }

  @Test func `a request that cannot be made is one failure on the completion queue, and no task`() async throws {
    let seen = Collected<StubTransport.Asked>()
    for base in ["http://stub.test/v1", nil] {
      let manager = try manager(seen, base: base)
      let failures = Collected<NetworkError.Kind?>()
      let task = manager.get(
        base == nil ? "birds" : "http://", success: { _, _ in Issue.record("no success") },
        failure: { task, error in
          #expect(task == nil)
          failures.append((error as? NetworkError)?.kind)
        })
      #expect(task == nil)
      struct NoFile: Error {}
      let form = manager.post(
        "http://stub.test/form", multipart: { _ in throw NoFile() },
        failure: { task, error in
          #expect(task == nil)
          failures.append((error as? NetworkError)?.kind)
        })
      #expect(form == nil)
      await Fixture.wait(while: failures.all.count < 2)
      #expect(failures.all == [.invalidURL, .serializationFailed] && manager.tasks.isEmpty)
    }
    #expect(seen.all.isEmpty)
  }

  @Test(arguments: Carrier.allCases)
  func `exactly one of success and failure is called`(_ carrier: Carrier) async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/v1/bird" ? .json("{}") : .status(404, #"{"error":"no bird"}"#, type: "application/json")
    }
    let manager = Fixture.manager(carrier.configuration, as: HTTPSessionManager.self)
    let base = origin.address("/v1")
    let calls = Collected<String>()
    for path in ["/bird", "/other"] {
      let count = calls.all.count
      manager.get(
        base + path, progress: { if $0.isFinal { calls.append("progress") } },
        success: { task, value in calls.append("success \(task.response?.status.code ?? 0) \(value is JSONValue)") },
        failure: { task, error in
          let kept = (error as? NetworkError)?.details.responseBody.map { String(decoding: $0, as: UTF8.self) }
          calls.append("failure \(task?.response?.status.code ?? 0) \(kept ?? "-")")
        })
      await Fixture.wait(while: !calls.all.dropFirst(count).contains { !$0.hasPrefix("progress") })
    }
    #expect(calls.all == ["progress", "success 200 true", #"failure 404 {"error":"no bird"}"#])
    await origin.stop()
  }

  @Test func `the timeout and the serializer of one call are its own`() async throws {
    let seen = Collected<StubTransport.Asked>()
    let manager = try manager(seen)
    var options = RequestOptions()
    options.timeouts.total = .seconds(700)
    var settings = TaskSettings()
    settings.responseSerializer = .string
    let values = Collected<any Sendable>()
    manager.get("a", options: options, settings: settings, success: { _, value in values.append(value) })
    await Fixture.wait(while: values.all.isEmpty)
    manager.get("b", success: { _, value in values.append(value) })
    await Fixture.wait(while: values.all.count < 2)
    #expect(values.all[0] is String && values.all[1] is JSONValue)
    #expect(seen.all.map(\.request.options.timeouts.total) == [.seconds(700), nil])
  }

  @Test func `a policy with pins is refused for a plain http base`() async throws {
    var pinned = SecurityPolicy.Settings()
    pinned.pinningMode = .publicKey
    let policy = try SecurityPolicy(pinned)
    let seen = Collected<StubTransport.Asked>()
    let plain = try manager(seen)
    let error = #expect(throws: NetworkError.self) { try plain.setSecurityPolicy(policy) }
    #expect(error?.kind == .invalidRequest && plain.securityPolicy == nil)
    try plain.setSecurityPolicy(try SecurityPolicy.system())
    try plain.setSecurityPolicy(nil)
    try manager(seen, base: "https://stub.test/").setSecurityPolicy(policy)
    // Without a base URL, each plain request is refused.
    let free = Fixture.manager(Carrier.curl.configuration, as: HTTPSessionManager.self)
    try free.setSecurityPolicy(policy)
    let failures = Collected<NetworkError.Kind?>()
    free.get("http://127.0.0.1:9/", failure: { _, error in failures.append((error as? NetworkError)?.kind) })
    await Fixture.wait(while: failures.all.isEmpty)
    #expect([.serverTrustRefused, .invalidRequest, .unsupported].contains(failures.all.first))
  }

  @Test func `tasks are cancelled by method and path`() async throws {
    let gate = ManualGate()
    let manager = try Fixture.manager(
      StubTransport { _ in
        try await gate.wait()
        return Fixture.json()
      }, as: HTTPSessionManager.self, base: "http://stub.test/v1")
    let kept = [manager.get("birds/8"), manager.post("birds"), manager.get("trees")]
    let gone = [manager.get("birds"), manager.get("birds", ["page": "2"])]
    #expect(try manager.cancelTasks(method: .get, path: "birds").count == 2)
    #expect(gone.allSatisfy { $0?.state == .completed } && kept.allSatisfy { $0?.state == .running })
    #expect(throws: NetworkError.self) { try manager.cancelTasks(path: "http://") }
    #expect(try manager.cancelTasks().count == 3)
    await Fixture.wait(while: !manager.tasks.isEmpty)
  }

  @Test func `a whole request to another origin gets the configuration's fields without the secrets`() async throws {
    let recording = RecordingTransport(StubTransport(Fixture.json()))
    var configuration = SessionConfiguration(.shared(recording))
    configuration.baseURL = try BaseURL("https://birds.test/v1/")
    configuration.headerFields = [.authorization: "Bearer hush", .cookie: "a=hush", .userAgent: "birds/1"]
    configuration.secretOrigins = [try Origin(scheme: .https, host: "friend.test")]
    let manager = Fixture.manager(configuration, as: HTTPSessionManager.self)
    func sent(_ url: String) async throws -> [[String]] {
      let before = recording.requests.count
      let (request, file) = (try Request(.post, url), try Request(.get, url))
      _ = await manager.ended { manager.dataTask(with: request, completion: $0) }
      _ = await manager.ended { manager.uploadTask(with: request, from: Data([1]), completion: $0) }
      _ = await manager.ended { manager.uploadTask(withStreamedRequest: request, completion: $0) }
      _ = await manager.ended {
        manager.dataTask(requestBuilder: { request }, retryCount: 0, retryInterval: .zero, completion: $0)
      }
      try await Fixture.withDirectory { directory in
        let ends = Collected<Bool>()
        let task = manager.downloadTask(with: file, to: .file(directory + "/x")) { _, path, _ in
          ends.append(path != nil)
        }
        task.resume()
        await Fixture.wait(while: ends.all.isEmpty)
      }
      return recording.requests.dropFirst(before).map { $0.headerFields.map(\.value).filter { $0.contains("hush") } }
    }
    let secrets = Array(repeating: ["Bearer hush", "a=hush"], count: 5)
    #expect(try await sent("https://birds.test/v1/x") == secrets)
    #expect(try await sent("https://friend.test/") == secrets)
    for url in ["https://evil.test/", "http://birds.test/v1/", "https://birds.test:8443/v1/"] {
      #expect(try await sent(url) == Array(repeating: [], count: 5), "\(url)")
      #expect(recording.requests.last?.headerFields[.userAgent] == "birds/1")
    }
    // What the request itself has goes where the request goes.
    var own = try Request(.get, "https://evil.test/")
    own.headerFields[.authorization] = "Bearer own"
    _ = await manager.ended(own)
    #expect(recording.requests.last?.headerFields[.authorization] == "Bearer own")
  }

  @Test func `a copy has base URL, serializers, fields and policy, and a subclass stays itself`() async throws {
    final class Own: HTTPSessionManager, @unchecked Sendable {}  // Safe because it adds no state.
    var configuration = SessionConfiguration(.shared(StubTransport(Fixture.json())))
    configuration.baseURL = try BaseURL("https://stub.test/v1/")
    let manager = Own(configuration)
    manager.requestSerializer = .json
    manager.responseSerializer = .string
    manager.headerFields[.userAgent] = "birds/1"
    try manager.setSecurityPolicy(try SecurityPolicy.system())
    let copy = manager.copied()
    #expect(type(of: copy) == Own.self && copy.baseURL == manager.baseURL && copy.headerFields == manager.headerFields)
    #expect(copy.responseSerializer is StringResponseSerializer && copy.securityPolicy is SecurityPolicy)
    #expect(type(of: copy.requestSerializer) == type(of: manager.requestSerializer))
    #expect(manager.description.contains("https://stub.test/v1/"))
  }
}
