import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for failing request bodies.
  static let uploadFaultRules: [ConformanceRule] = [
    .longerStreamRefused, .shorterStreamRefused, .failingSourceReported, .failingStartReported, .shrunkFileReported,
    .missingFileReported, .earlyAnswerDelivered, .earlyAnswerNotTruncated, .answerWhileUploading,
  ]
}

extension ConformanceRule {
  package static let longerStreamRefused = ConformanceRule(
    "longer-stream-refused", "a stream longer than announced ends in bodyLengthMismatch", source: "RFC 9110 §8.6",
    because: "Bytes beyond the length would be read as the next request.", capabilities: .streamedUploads
  ) { kit in
    let place = kit.serve()
    let source = UploadSource(pieces: [.bytes(Data(count: 600)), .bytes(Data(count: 600))])
    try await kit.expectError(.bodyLengthMismatch, "sending 1200 bytes as 1000") {
      _ = try await kit.fetch(Request(.post, place.url(), body: source.body(length: 1000)))
    }
    for request in place.requests { try kit.expect(request.contentLength <= 1000, "more than 1000 bytes arrived") }
  }

  package static let shorterStreamRefused = ConformanceRule(
    "shorter-stream-refused", "a stream shorter than announced ends in bodyLengthMismatch and never looks complete",
    source: "RFC 9110 §8.6",
    because: "Half a body must never look complete.",
    capabilities: .streamedUploads
  ) { kit in
    let place = kit.serve()
    let source = UploadSource(pieces: [.bytes(Data(count: 600))])
    try await kit.expectError(.bodyLengthMismatch, "sending 600 bytes as 1000") {
      _ = try await kit.fetch(Request(.post, place.url(), body: source.body(length: 1000)))
    }
    for request in place.requests {
      _ = await request.content()
      try kit.expect(!request.isComplete, "it looked complete to the server")
    }
  }

  package static let failingSourceReported = ConformanceRule(
    "failing-source-reported",
    "a source that throws ends in bodySourceFailed, never looks complete, and its connection is not reused",
    source: "RFC 9112 §8",
    because: "Half a chunked body must not end with a last chunk.",
    capabilities: .streamedUploads, features: .brokenUploads
  ) { kit in
    let place = kit.serve()
    for length in [nil, 1000] as [Int64?] {
      let source = UploadSource(pieces: [.bytes(Data(count: 600)), .failure(UploadSourceFailure())])
      let error = try await kit.expectError(.bodySourceFailed, "a source that throws") {
        _ = try await kit.fetch(Request(.post, place.url(), body: source.body(length: length)))
      }
      try kit.expect(
        error.details.underlying is UploadSourceFailure, "the error of the source is not the underlying error")
    }
    let broken = place.requests
    for request in broken {
      _ = await request.content()
      try kit.expect(!request.isComplete, "it looked complete to the server")
    }
    if kit.endpoint.features.contains(.http2) { return }
    _ = try await kit.fetch(place)
    let connections = broken.map(\.connection)
    try kit.expect(!connections.contains(place.requests.last?.connection ?? 0), "its connection was used again")
  }

  package static let failingStartReported = ConformanceRule(
    "failing-start-reported", "a source that cannot be started ends in bodySourceFailed", source: "Body",
    because: "The app must learn that its own source failed, not the network.", capabilities: .streamedUploads
  ) { kit in
    let place = kit.serve()
    let body = Body.stream(replayable: true) { throw UploadSourceFailure() }
    let error = try await kit.expectError(.bodySourceFailed, "a source that cannot be started") {
      _ = try await kit.fetch(Request(.post, place.url(), body: body))
    }
    try kit.expect(
      error.details.underlying is UploadSourceFailure, "the error of the source is not the underlying error")
  }

  package static let shrunkFileReported = ConformanceRule(
    "shrunk-file-reported", "a file that became shorter ends in bodyLengthMismatch and never looks complete",
    source: "Body",
    because: "The length is announced before the file is read."
  ) { kit in
    let place = kit.serve()
    let file = try ScratchFile(bytes: [UInt8](repeating: 1, count: 400_000))
    let body = try Body.file(file.url)
    try file.resize(to: 1000)
    try await kit.expectError(.bodyLengthMismatch, "sending a file that became shorter") {
      _ = try await kit.fetch(Request(.post, place.url(), body: body))
    }
    for request in place.requests {
      _ = await request.content()
      try kit.expect(!request.isComplete, "it looked complete to the server")
    }
  }

  package static let missingFileReported = ConformanceRule(
    "missing-file-reported", "a file that was removed ends in fileError", source: "Body",
    because: "A file can be removed between the request and its sending."
  ) { kit in
    let place = kit.serve()
    var file: ScratchFile? = try ScratchFile(bytes: [1, 2, 3])
    guard let url = file?.url else { return }
    let body = try Body.file(url)
    file = nil
    try await kit.expectError(.fileError, "sending a file that was removed") {
      _ = try await kit.fetch(Request(.post, place.url(), body: body))
    }
  }

  package static let earlyAnswerDelivered = ConformanceRule(
    "early-answer-delivered", "an answer that arrives before the end of the upload is delivered",
    source: "RFC 9112 §9.3",
    because: "A server may answer before it has read everything. That answer must be delivered.",
    capabilities: .streamedUploads, features: .earlyAnswers
  ) { kit in
    let answer = ConformanceAnswer(413, content: .bytes([UInt8]("too much".utf8)), upload: .ignored)
    let place = kit.serve(answer)
    let gate = OriginGate()
    defer { gate.open() }
    let source = UploadSource(pieces: [.bytes(Data(count: 1000)), .wait(gate)])
    let response = try await kit.send(Request(.post, place.url(), body: source.body(length: 1 << 20)))
    try kit.expectEqual(response.head.status.code, 413, "the status")
  }

  package static let earlyAnswerNotTruncated = ConformanceRule(
    "early-answer-not-truncated", "an answer that arrived completely before a close during the upload is not truncated",
    source: "RFC 9112 §9.6",
    because:
      "A server may answer, close and leave the rest of the upload unread. The reset that follows can destroy the answer; but one that arrived is whole.",
    features: .earlyAnswers
  ) { kit in
    let upload = Body.bytes(Data(repeating: 0x61, count: 3_000_000))
    for (status, body) in [(200, "early"), (413, "early"), (200, ""), (204, "")] {
      let place = kit.serve(ConformanceAnswer(status, content: .bytes([UInt8](body.utf8)), upload: .ignored))
      do {
        let got = try await kit.fetch(Request(.post, place.url(), body: upload)).body
        try kit.expectEqual(got, Data(body.utf8), "the body after an early \(status)")
      } catch let error as NetworkError {
        try kit.expectEqual(error.kind, .connectionLost, "the kind of an error after an early \(status)")
      }
    }
  }

  package static let answerWhileUploading = ConformanceRule(
    "answer-while-uploading", "a head that arrives during the upload is delivered, and the upload continues",
    source: "Transport",
    because: "The answer to an upload may say that the rest is unwanted.",
    capabilities: .streamedUploads, features: .fullDuplex
  ) { kit in
    let place = kit.serve(ConformanceAnswer(content: .bytes([UInt8]("done".utf8)), upload: .readAfterHead))
    let gate = OriginGate()
    let source = UploadSource(pieces: [.bytes(Data(count: 1000)), .wait(gate), .bytes(Data(count: 1000))])
    let response = try await kit.send(Request(.post, place.url(), body: source.body(length: 2000)))
    gate.open()
    try kit.expectEqual(try await kit.collect(response.body, upTo: 100), Data("done".utf8), "the body")
    try kit.expectEqual(place.requests.first?.contentLength, 2000, "the length that arrived")
  }
}
