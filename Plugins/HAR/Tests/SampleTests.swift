import CurlewCore
import CurlewHAR
import CurlewLoading
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

/// Writes recordings for `Scripts/har-peers`, which reads them with other projects' readers.
@Suite struct SampleTests {
  private static let folder = ProcessInfo.processInfo.environment["CURLEW_HAR_SAMPLES"]

  private static let answers: [StubAnswer] = {
    var odd = StubAnswer(
      HTTPResponse.Status(code: 599, reasonPhrase: "Quote \" and \\"),
      headerFields: [.setCookie: "a=b; Path=/; HttpOnly"],
      body: [.bytes(Data([0, 0xFF, 10]))], trailers: [.eTag: "\"x\""], version: .http2,
      informational: [HTTPResponse(status: .init(code: 103), headerFields: [.vary: "a"])])
    odd.headerFields[.location] = "/next?code=1"
    return [
      .json(#"{"name":"Curlew","token":"t","é":"\u0001"}"#), .text(""), odd,
      StubAnswer(.noContent), .failing(NetworkError(.connectionLost, stage: .awaitingHead, message: "It was lost.")),
      StubAnswer(headerFields: [.contentType: "image/png"], body: [.bytes(Data(repeating: 200, count: 3000))]),
    ]
  }()

  @Test(.enabled(if: folder != nil, "Scripts/har-peers runs it"))
  func `recordings of an observer and of a transport`() async throws {
    let folder = try #require(Self.folder)
    let scratch = try TemporaryFolder()
    try Data(count: 300).write(to: URL(filePath: scratch.path + "/a b'c"))
    for (name, redaction) in [("redacted", Redaction.standard), ("whole", nil)] {
      let stub = StubTransport { asked in Self.answers[asked.index % Self.answers.count] }
      var options = HARRecorder.Options()
      options.redaction = redaction
      var recording = HARRecordingTransport.Options()
      recording.redaction = redaction
      let observer = try HARRecorder("\(folder)/observed-\(name).har", options: options)
      let transport = try HARRecordingTransport(stub, to: "\(folder)/recorded-\(name).har", options: recording)
      let loader = Loader(transport)
      var generator = RequestGenerator(seed: 12, folder: scratch.path)
      for _ in 0..<500 {
        var settings = ExchangeSettings()
        settings.observers = [observer]
        let request = try generator.next(to: "http://example.com")
        _ = try? await loader.load(request, in: Exchange(settings)).body.collect(upTo: 10_000)
      }
      observer.close()
      await transport.shutdown()
      #expect(observer.entryCount >= 500)
    }
  }
}
