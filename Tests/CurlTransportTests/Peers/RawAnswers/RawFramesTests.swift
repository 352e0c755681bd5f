import CurlewCore
import CurlewCurlTransport
import CurlewTestHarness
import CurlewTestSupport
import HTTPTypes
import Testing

/// Answers frame by frame: nothing that is broken or cut is a success.
@Suite(.timeLimit(.minutes(10))) struct RawFramesTests {
  private func fetch(_ frames: RawFrames, _ identity: TestIdentity) async throws -> (status: Int, body: String) {
    let origin = try FrameOrigin.start(identity) { frames.steps($0.stream) }
    let transport = try CurlTransport()
    var request = Request(.get, origin.url)
    request.options.version = .http2
    request.options.timeouts.idle = .seconds(20)
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator()
    let result: Result<(status: Int, body: String), any Error>
    do {
      let response = try await transport.send(request, in: Exchange(settings))
      let body = try await response.body.collect(upTo: 1_000_000)
      result = .success((response.head.status.code, String(decoding: body, as: UTF8.self)))
    } catch {
      result = .failure(error)
    }
    await transport.shutdown()
    origin.stop()
    return try result.get()
  }

  @Test(
    .enabled(if: CurlTransport.capabilities().contains(.automaticHTTP2), "this libcurl's HTTP/2 cannot be relied on"))
  func `an answer of frames ends as a careful client ends it`() async throws {
    let identity = try TestIdentity.selfSigned()
    for frames in RawFrames.all {
      do {
        let got = try await fetch(frames, identity)
        switch frames.outcome {
        case .body(let body, let status): #expect(got == (status, body), "\(frames.name)")
        case .bodyOrFails(let body): #expect(got == (200, body), "\(frames.name)")
        case .fails: Issue.record("\(frames.name) is \(got.status) with \(got.body.utf8.count) bytes")
        }
      } catch let error as NetworkError {
        if case .body = frames.outcome { Issue.record("\(frames.name): \(error)") }
        #expect(!error.isTimeout && error.kind != .internal, "\(frames.name): \(error)")
      }
    }
  }
}
