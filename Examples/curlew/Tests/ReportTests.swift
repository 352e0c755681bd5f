import ArgumentParser
import CurlewCore
import CurlewJSON
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewTool

@Suite struct ReportTests {
  private func result(_ change: (inout FetchResult) -> Void) throws -> FetchResult {
    let fetch = Fetch(
      index: 0, url: "http://h/a", request: try Request(.get, "http://h/a"), destination: .standardOutput)
    var result = FetchResult(fetch: fetch)
    change(&result)
    return result
  }

  @Test func `a line holds what is known, in the order of the documentation`() throws {
    let head = ResponseHead(url: try #require(URL(string: "http://h/a")), status: .ok, version: .http2)
    let line = ReportLine(
      result: try result { result in
        result.head = head
        result.bytes = 10
        result.digest = "ab"
        result.file = "/tmp/a"
        result.duration = .milliseconds(1500)
        var metrics = ExchangeMetrics()
        metrics.bytesReceived = 7
        metrics.phases.connect = .microseconds(250)
        metrics.connectionReused = false
        result.metrics = [metrics]
      })
    #expect(
      line.text == """
        {"url":"http://h/a","finalURL":"http://h/a","status":200,"protocol":"h2","bytes":10,"bytesReceived":7,\
        "sha256":"ab","file":"/tmp/a","attempts":1,"fromCache":false,"redirects":0,"seconds":1.5,\
        "metrics":{"connect":0.00025,"reused":false}}
        """)
  }

  @Test func `a failure is told with kind, stage and whether the server may have acted`() throws {
    let line = ReportLine(
      result: try result { result in
        let error = NetworkError(.connectionLost, stage: .awaitingHead, message: "Gone.").with {
          $0.maybeProcessed = true
        }
        result.failure = FetchFailure(error)
      })
    let value = try JSONValue(parsing: line.text)
    #expect(value["error"]?["kind"]?.stringValue == "connection-lost")
    #expect(value["error"]?["stage"]?.stringValue == "awaiting-head")
    #expect(value["error"]?["maybeProcessed"]?.boolValue == true)
    #expect(value["status"] == nil)
  }

  @Test func `a password in a URL is told to nobody`() throws {
    let url = "http://me:secret@h/a@b?c=d@e"
    #expect(FetchFailure.withoutSecrets(url) == "http://<redacted>@h/a@b?c=d@e")
    #expect(FetchFailure.withoutSecrets("http://h/a@b") == "http://h/a@b")
    let sentence = FetchFailure(NetworkError(.invalidURL, stage: .preparing, message: "No.")).sentence(
      for: url, over: try ConnectionArguments.parse([]))
    #expect(!sentence.contains("secret"))
    let fetch = Fetch(index: 0, url: url, request: try Request(.get, "http://h/"), destination: .standardOutput)
    #expect(!ReportLine(result: FetchResult(fetch: fetch)).text.contains("secret"))
  }

  @Test func `a full disk is the file's error`() throws {
    let failure = FetchFailure(FileSystemError(code: 28, operation: "write", path: "f"))
    #expect(failure.kind == "file-error")
    #expect(failure.message == "write failed for f: No space left on device.")
    // The advice stays at the end.
    let full = FileSystemError(code: 28, operation: "write", path: "f")
    let refused = NetworkError(
      .fileError, stage: .writing, message: "f needs 3 bytes more.", advice: full.advice, underlying: full)
    #expect(FetchFailure(refused).message == "f needs 3 bytes more." && FetchFailure(refused).lacksSpace)
    #expect(
      try FetchFailure(refused).sentence(for: "http://h/", over: ConnectionArguments.parse([]))
        == "curlew: http://h/: f needs 3 bytes more (file-error, while writing the file); free some space, or choose a place on another disk."
    )
  }

  @Test func `nobody is told to take the transport that was taken`() throws {
    let failure = FetchFailure(NetworkError.unsupported(.http2))
    func sentence(_ arguments: [String]) throws -> String {
      failure.sentence(for: "https://h/", over: try ConnectionArguments.parse(arguments))
    }
    #expect(
      try sentence(["--http2"]).hasSuffix("; leave out --http2, or use libcurl 8.14 or later (see curlew --version)."))
    #expect(try sentence([]).hasSuffix("(unsupported, while preparing the request)."))
    #expect(try sentence(["--transport", "urlsession"]).hasSuffix("; take --transport curl."))
  }

  @Test func `a failure's sentence says what, where and what to do`() throws {
    let error = NetworkError(.timedOut, stage: .receivingBody, message: "The request took longer than 1 s.")
    let sentence = FetchFailure(error).sentence(for: "http://h/", over: try ConnectionArguments.parse([]))
    #expect(
      sentence
        == "curlew: http://h/: The request took longer than 1 s (timed-out, while receiving the body); raise --timeout."
    )
  }
}
